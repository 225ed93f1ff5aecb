import { type CommandInput, kebab } from '../command.ts'
import { usageError } from '../errors.ts'
import { readSource, readText } from '../input.ts'
import type { CliEnvironment } from '../output.ts'
import {
  type ApiRequest,
  bodyOf,
  isNested,
  listOf,
  type Operation,
  resolve,
  type Schema,
  typesOf,
} from './document.ts'
import { optionsOf } from './options.ts'

/** Makes the request of what was typed. Throws an AppError (`invalid`). */
export async function createRequest(
  operation: Operation,
  input: CommandInput,
  environment: CliEnvironment,
): Promise<ApiRequest> {
  const { args, texts, flags } = input
  const known = optionsOf(operation)
  const stray = Object.keys({ ...texts, ...flags }).find((name) => !Object.hasOwn(known, name))
  if (stray !== undefined) throw usageError(`Give an id or --${kebab(stray)}, not both.`)
  const request: ApiRequest = { params: {}, query: {}, headers: {}, body: undefined }
  const words = [...args]
  for (const { name, in: place } of operation.parameters ?? []) {
    if (place === 'path') request.params[name] = words.shift() ?? ''
    const text = texts[name] ?? (flags[name] === true ? '1' : undefined)
    if (text !== undefined) request[place === 'header' ? 'headers' : 'query'][name] = text
  }
  const body = bodyOf(operation)
  if (body === undefined) return request
  const { type, otherType, schema } = body
  const { data } = texts
  const whole = data === undefined ? undefined : await readSource(environment, data, '--data')
  if (whole === undefined && (schema.properties === undefined || type !== jsonType))
    throw usageError(
      'Give the body with --data: @file reads it from a file, - from standard input.',
    )
  const isJson = otherType === undefined || whole === undefined || /^\s*[[{]/.test(String(whole))
  const contentType = isJson ? type : otherType
  request.headers['content-type'] = contentType
  if (contentType !== jsonType) return { ...request, body: whole }
  const base = whole === undefined ? {} : parseJson(String(whole), 'data')
  const members = await readMembers(schema, input, environment)
  if (Object.keys(members).length > 0 && Array.isArray(base))
    throw usageError('--data is a list here: no other option can add to it.')
  return { ...request, body: Array.isArray(base) ? base : { ...(base as object), ...members } }
}

const jsonType = 'application/json'

async function readMembers(
  { properties = {} }: Schema,
  { texts, flags }: CommandInput,
  environment: CliEnvironment,
): Promise<Record<string, unknown>> {
  const members: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(properties)) {
    if (flags[name] !== undefined) members[name] = flags[name]
    const text = texts[name]
    if (text === undefined) continue
    const schema = resolve(member)
    members[name] = convert(await readText(environment, text, `--${kebab(name)}`), schema, name)
  }
  return members
}

/** Makes the value of a text. What does not fit the schema stays as it is: the API says what is wrong with it. */
function convert(text: string, schema: Schema, name: string): unknown {
  const types = typesOf(schema)
  if (isNested(schema)) return parseJson(text, name)
  const list = listOf(schema)
  if (list !== undefined)
    return text === ''
      ? []
      : text.split(',').map((each) => convert(each.trim(), resolve(list.items ?? {}), name))
  if (types.includes('null') && text === 'null') return null
  const isNumber = types.includes('integer') || types.includes('number')
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(`--${kebab(name)} must be JSON: ${(error as Error).message}`)
  }
}
