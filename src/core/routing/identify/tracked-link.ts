/** What the parameter `ct` of a link that Mautic tracks says. Anyone may have written it. */
export interface TrackedLink {
  emailId: number | undefined
  contactId: number | undefined
  hash: string | undefined
}

/** Mautic's are about 250 characters long. */
const parameterLengthMax = 2_000
const depthMax = 4
const valuesMax = 60

/**
 * Reads `ct`: the base64 of a PHP array that `serialize` wrote. It reads numbers, texts and arrays only, and creates no
 * object. Undefined for anything else.
 *
 * @see https://www.php.net/serialize
 */
export function readTrackedLink(parameter: string): TrackedLink | undefined {
  if (parameter.length > parameterLengthMax) return undefined
  const serialized = Buffer.from(parameter, 'base64').toString('latin1')
  const value = new PhpReader(serialized).readAll()
  if (!(value instanceof Map)) return undefined
  const hash = value.get('stat')
  return {
    emailId: readId(value.get('email')),
    contactId: readId(value.get('lead')),
    hash: typeof hash === 'string' && hashForm.test(hash) ? hash : undefined,
  }
}

/** Mautic's are 22 digits of PHP's `uniqid`. */
const hashForm = /^[0-9a-f]{16,32}$/

function readId(value: PhpValue | undefined): number | undefined {
  return typeof value !== 'object' && /^[1-9]\d{0,14}$/.test(String(value))
    ? Number(value)
    : undefined
}

type PhpValue = string | number | boolean | null | Map<string, PhpValue>

/** Thrown for what is not the expected form. */
class Malformed extends Error {}

class PhpReader {
  readonly #text: string
  #at = 0
  #values = 0

  constructor(text: string) {
    this.#text = text
  }

  readAll(): PhpValue | undefined {
    try {
      return this.#readValue(0)
    } catch (error) {
      if (error instanceof Malformed) return undefined
      throw error
    }
  }

  #readValue(depth: number): PhpValue {
    this.#values += 1
    if (depth > depthMax || this.#values > valuesMax) throw new Malformed()
    const [, type, number = ''] = this.#match(/([abisd]):(-?[\d.]{1,15})[;:]|N;/y)
    if (type === undefined) return null
    if (type === 's') return this.#readText(Number(number))
    if (type === 'a') return this.#readArray(Number(number), depth)
    return type === 'b' ? number === '1' : Number(number)
  }

  #readText(length: number): string {
    const start = this.#at + 1
    const end = start + length
    const isQuoted = this.#text[start - 1] === '"' && this.#text.startsWith('";', end)
    if (!isQuoted) throw new Malformed()
    this.#at = end + 2
    return this.#text.slice(start, end)
  }

  #readArray(count: number, depth: number): Map<string, PhpValue> {
    const entries = new Map<string, PhpValue>()
    this.#match(/\{/y)
    for (let read = 0; read < count; read++) {
      const key = this.#readValue(depth + 1)
      if (typeof key !== 'string' && typeof key !== 'number') throw new Malformed()
      entries.set(String(key), this.#readValue(depth + 1))
    }
    this.#match(/\}/y)
    return entries
  }

  #match(form: RegExp): RegExpExecArray {
    form.lastIndex = this.#at
    const match = form.exec(this.#text)
    if (match === null) throw new Malformed()
    this.#at = form.lastIndex
    return match
  }
}
