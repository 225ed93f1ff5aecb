import { AppError } from '../../../kit/app-error.ts'
import { nameKey } from '../../../kit/normalize-for-search.ts'
import { kebab } from '../command.ts'
import { commandName } from '../command-name.ts'
import { memberOf, type Row } from '../table.ts'
import type { ApiClient } from './client.ts'
import {
  type ApiGroup,
  type ApiRequest,
  apiGroups,
  bodyOf,
  type Operation,
  resolve,
  type Schema,
  singularOf,
  typesOf,
} from './document.ts'

/** The records that a name stands for that is not `…Id`. Null: those of the first part of the path. */
const recordsOf: Readonly<Record<string, string | null>> = {
  id: null,
  ids: null,
  transport: 'transport',
  transports: 'transport',
  down: 'transport',
  brand: 'brand',
  brands: 'brand',
  mautic: 'mautic',
  owner: 'user',
  ownerId: 'user',
  role: 'role',
}

/** The parameters that take several ids, with commas. */
const lists = new Set(['ids', 'down', 'brands'])

/**
 * Returns the group of the records that an id of an operation names: of `transportId`, transports. Undefined where it is no id, or where
 * their list cannot be searched for a name.
 */
export function findReferenced(operation: Operation, name: string): ApiGroup | undefined {
  // A deleted record is in no list.
  if (operation.operationId.startsWith('restore') && name === 'id') return undefined
  const word = Object.hasOwn(recordsOf, name)
    ? (recordsOf[name] ?? operation.path.split('/')[2] ?? '')
    : (/^(\w+)Ids?$/.exec(name)?.[1] ?? '')
  // Beside an id, `transport` is a word, or a name that the log has.
  if (name === 'transport' && hasParameter(operation, 'transportId')) return undefined
  const member = bodyOf(operation)?.schema.properties?.[name]
  if (member !== undefined && !typesWithin(resolve(member)).includes('integer')) return undefined
  const group = apiGroups().find(({ tag, name: many }) => [tag, singularOf(many)].includes(word))
  return group?.list !== undefined && hasParameter(group.list, 'fields') ? group : undefined
}

const typesWithin = (schema: Schema) => [
  ...typesOf(schema),
  ...typesOf(resolve(schema.items ?? {})),
]

function hasParameter({ parameters = [] }: Operation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name)
}

/**
 * Replaces the names in a request by the ids of their records; letter case and outer blanks are ignored. A number is an id. Throws an AppError
 * (`not_found`, `conflict`) for a name that none or several have.
 */
export async function resolveNames(
  operation: Operation,
  { params, query, headers, body }: ApiRequest,
  api: ApiClient,
): Promise<ApiRequest> {
  const members = isMembers(body) ? body : {}
  const mautic = query['mautic'] ?? members['mautic']
  const find = async (name: string, text: string): Promise<string> => {
    const group = findReferenced(operation, name)
    if (group === undefined || isId(text)) return text
    // The emails, contacts and users of a Mautic have no names here.
    const isOfMautic = mautic !== undefined && ['emails', 'contacts', 'users'].includes(group.tag)
    return isOfMautic ? text : String(await findId(group, text, api))
  }
  const findEach = async (name: string, text: string) => {
    const texts = lists.has(name) ? text.split(',') : [text]
    return (await Promise.all(texts.map((each) => find(name, each)))).join(',')
  }
  const findMember = async (name: string, value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map((each) => findMember(name, each)))
    const id = typeof value === 'string' ? await find(name, value) : value
    return id === value ? value : Number(id)
  }
  return {
    headers,
    params: await mapValues(params, findEach),
    query: await mapValues(query, findEach),
    body: isMembers(body) ? await mapValues(body, findMember) : body,
  }
}

/** Whether a body is an object of JSON. */
function isMembers(body: unknown): body is Row {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && !Buffer.isBuffer(body)
}

async function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  map: (name: string, value: From) => Promise<To>,
): Promise<Record<string, To>> {
  const entries: [string, To][] = []
  for (const [name, value] of Object.entries(values)) entries.push([name, await map(name, value)])
  return Object.fromEntries(entries)
}

/** Beside ids, some filters have words. */
const isId = (text: string) => /^(\d+|default|none|)$/.test(text.trim())

/** Finds a record of a group by its id or its name. Throws an AppError (`not_found`, `conflict`). */
export async function findRecord(many: string, text: string, api: ApiClient): Promise<number> {
  const group = apiGroups().find(({ name }) => name === many)
  if (group === undefined) throw new Error(`There is no group ${many}.`)
  return isId(text) ? Number(text) : findId(group, text, api)
}

/** The members that are names, of different kinds of records. */
const nameMembers = ['name', 'username', 'domain', 'address', 'url', 'fields.all.email']

/** Finds the id of the record with this name. The search finds it as a part of other names too. */
async function findId(
  { list, name: many, label }: ApiGroup,
  text: string,
  api: ApiClient,
): Promise<number> {
  const key = nameKey(text)
  const words = key.split('"').flatMap((part) => (part.trim() === '' ? [] : [`"${part}"`]))
  const query = new URLSearchParams({ search: words.join(' '), limit: '0' })
  const isNamed = (row: Row) =>
    nameMembers.some((member) => {
      const name = memberOf(row, member)
      return typeof name === 'string' && nameKey(name) === key
    })
  const found = rowsOf(await api.ask('GET', `${list?.path}?${query}`)).filter(isNamed)
  const [first, ...others] = found.map(({ id }) => Number(id))
  const quoted = JSON.stringify(text.trim())
  const code = kebab(label).replaceAll('-', '_')
  if (first === undefined) {
    const message = `${label} ${quoted} was not found. \`${commandName} ${many} list\` lists them.`
    throw new AppError('not_found', `${code}_not_found`, message)
  }
  if (others.length === 0) return first
  const ids = [first, ...others].join(', ')
  const message = `Several ${many} are named ${quoted} (ids ${ids}). Use the id of one of them.`
  throw new AppError('conflict', `${code}_name_ambiguous`, message)
}

/** The list in which `nameTransports` finds names. */
export const transportsPath = '/api/multipleTransports'

/** Writes the names of transports beside their ids where an answer has no names: `"transports": [3]` becomes `["3 (Shop)"]`. */
export async function nameTransports(answer: Row, api: ApiClient): Promise<Row> {
  const text = JSON.stringify(answer)
  if (!/"transport(?:s":\[|Id":)\d/.test(text)) return answer
  const rows = rowsOf(await api.ask('GET', `${transportsPath}?fields=id,name`))
  const names = new Map(rows.map(({ id, name }) => [id, `${String(id)} (${String(name)})`]))
  const nameOf = (id: unknown) => names.get(id) ?? id
  return JSON.parse(text, function (this: Row, member, value) {
    if (member === 'transports' && Array.isArray(value)) return value.map(nameOf)
    // A delivery has the name that its transport had.
    return member === 'transportId' && !('transport' in this) ? nameOf(value) : value
  })
}

/** Returns the records of a list: it is an array, or has one, or has them by their ids. */
function rowsOf(answer: unknown): Row[] {
  if (Array.isArray(answer)) return answer
  const records = Object.values(answer as object).find((each) => typeof each === 'object')
  return Object.values(records ?? {})
}
