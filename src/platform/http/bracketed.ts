import { isUtf8 } from 'node:buffer'

/** A parameter: its text, where it was given once or more often, and its members by what is in their brackets. */
interface Parameter {
  text: string | string[] | undefined
  members: Map<string, Parameter> | undefined
  /** The next index of `[]`. */
  next: number
}

/** As PHP, which has such a limit too. Further brackets are part of the last name. */
const depthMax = 5
const isIndex = /^\d{1,15}$/

/**
 * Parses a query string or a form. Names with brackets are read as PHP reads them: `ids[]=1`, `where[0][col]=name`. A
 * parameter whose members all are numbers is a list; one that is given again is a list of its texts. Takes time in proportion
 * to the length of the text, and never throws.
 *
 * @param parametersMax Further parameters are left out.
 */
export function parseBracketed(text: string, parametersMax: number): Record<string, unknown> {
  const decode = createDecoder(text)
  const root = createParameter()
  for (const part of text.split('&', parametersMax)) {
    if (part === '') continue
    const bracket = part.indexOf(']=')
    const end = bracket === -1 ? part.indexOf('=') : bracket + 1
    const path = pathOf(decode(end === -1 ? part : part.slice(0, end)))
    if (path !== undefined) add(root, path, end === -1 ? '' : decode(part.slice(end + 1)))
  }
  return membersOf(root)
}

function createParameter(): Parameter {
  return { text: undefined, members: undefined, next: 0 }
}

/** Splits `where[0][col]` into its names. Undefined for names that every object has, such as `__proto__`. */
function pathOf(name: string): string[] | undefined {
  const start = name.indexOf('[')
  const isPlain = start === -1 || !name.includes(']', start)
  if (isPlain) return name in Object.prototype ? undefined : [name]
  const path = start === 0 ? [] : [name.slice(0, start)]
  let at = start
  while (name[at] === '[' && path.length <= depthMax) {
    const end = name.indexOf(']', at)
    if (end === -1) break
    path.push(name.slice(at + 1, end))
    at = end + 1
  }
  if (name[at] === '[') path.push(name.slice(at))
  return path.some((each) => each in Object.prototype) ? undefined : path
}

function add(root: Parameter, path: readonly string[], text: string): void {
  let parameter = root
  for (const [level, name] of path.entries()) {
    const key = name === '' && level > 0 ? String(parameter.next) : name
    if (isIndex.test(key)) parameter.next = Math.max(parameter.next, Number(key) + 1)
    parameter.members ??= new Map()
    let member = parameter.members.get(key)
    if (member === undefined) {
      member = createParameter()
      parameter.members.set(key, member)
    }
    parameter = member
  }
  if (parameter.text === undefined) parameter.text = text
  else if (typeof parameter.text === 'string') parameter.text = [parameter.text, text]
  else parameter.text.push(text)
}

function membersOf({ members }: Parameter): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, member] of members ?? []) values[name] = readValue(member)
  return values
}

function readValue(parameter: Parameter): unknown {
  const { text, members } = parameter
  if (members === undefined) return text
  const values = membersOf(parameter)
  if (text !== undefined) return [text, values].flat()
  // An object has its numbers in order.
  return [...members.keys()].every((name) => isIndex.test(name)) ? Object.values(values) : values
}

/** Stands for bytes that are not UTF-8. `checkStorable` refuses it, as every lone surrogate. */
export const notUtf8 = '\udcff'

/**
 * Creates the function that decodes parts of a text. Finding out by an exception that bytes are not UTF-8 takes ten times as
 * long as decoding, so it is done for the whole text first. A percent sign that encodes no byte stays as it is.
 */
function createDecoder(text: string): (part: string) => string {
  const isEncoded =
    !/%(?![0-9a-f]{2})/i.test(text) && isUtf8(bytesOf(text.match(runs)?.join('%20') ?? ''))
  return (part) => {
    const spaced = part.replaceAll('+', ' ')
    if (!part.includes('%')) return spaced
    return isEncoded ? decodeURIComponent(spaced) : spaced.replaceAll(runs, decodeRun)
  }
}

const runs = /(?:%[0-9a-f]{2})+/gi

function decodeRun(run: string): string {
  const bytes = bytesOf(run)
  return isUtf8(bytes) ? bytes.toString() : notUtf8
}

function bytesOf(run: string): Buffer {
  return Buffer.from(run.replaceAll('%', ''), 'hex')
}
