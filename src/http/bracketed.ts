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

/**
 * Creates the function that decodes parts of a text. A part that is not percent-encoded UTF-8 stays as it is. Finding that out by
 * an exception takes ten times as long as decoding, so it is done for the whole text first.
 */
function createDecoder(text: string): (part: string) => string {
  if (!text.includes('%')) return (part) => part.replaceAll('+', ' ')
  const isDecodable = isEncoded(text) ? () => true : isEncoded
  return (part) => {
    const spaced = part.replaceAll('+', ' ')
    if (!part.includes('%')) return spaced
    return isDecodable(part) ? decodeURIComponent(spaced) : spaced
  }
}

/** Whether each percent sign begins an encoded byte, and the bytes are UTF-8. */
function isEncoded(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text)) return false
  const runs = text.match(/(?:%[0-9a-f]{2})+/gi) ?? []
  return isUtf8(Buffer.from(runs.map((run) => `${run.replaceAll('%', '')}20`).join(''), 'hex'))
}
