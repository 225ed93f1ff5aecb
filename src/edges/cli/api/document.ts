import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kebab } from '../command.ts'

/** The part of JSON Schema that commands read. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  description?: string
  examples?: readonly (string | number)[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema
  example?: string | number
}

/** The body of a request of one content type. */
interface Content {
  schema: Schema
  example?: unknown
}

/** An operation of the API, as its OpenAPI document has it. */
export interface Operation {
  method: string
  path: string
  operationId: string
  summary: string
  description?: string
  tags: readonly string[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, Content>> }
}

/** A request, in which names may still stand for ids. */
export interface ApiRequest {
  params: Record<string, string>
  query: Record<string, string>
  headers: Record<string, string>
  /** The members of a JSON object, other JSON, or the bytes of another content type; undefined without a body. */
  body: unknown
}

/** The operations with one tag: the commands of one word. */
export interface ApiGroup {
  /** As it is typed: `dkim-keys`. */
  name: string
  /** One of its records, as in a sentence: `DKIM key`. */
  label: string
  tag: string
  description: string
  /** The heading of the help that it is under: `Send`. */
  heading: string
  operations: readonly Operation[]
  /** What its records are called in operation ids: `queued-message`, `queue`. */
  nouns: readonly string[]
  /** Lists its records; undefined where it has no such list. */
  list: Operation | undefined
}

interface Document {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  tags: { name: string; description: string; 'x-displayName': string }[]
  'x-tagGroups': { name: string; tags: string[] }[]
  components: { schemas: Record<string, Schema> }
}

let document: Document | undefined

/**
 * Reads the OpenAPI document of the package. Help needs no server and no database then, and a start no second file: it is read once, by
 * the commands of the API only.
 */
function readDocument(): Document {
  const file = join(import.meta.dirname, '../../../../docs/openapi.json')
  document ??= JSON.parse(readFileSync(file, 'utf8')) as Document
  return document
}

let groups: readonly ApiGroup[] | undefined

/** Returns the groups of commands, in the order of their help: what is under `/api`, but for the log-in of the caller. */
export function apiGroups(): readonly ApiGroup[] {
  groups ??= readGroups(readDocument())
  return groups
}

function readGroups({ paths, tags, 'x-tagGroups': headings }: Document): ApiGroup[] {
  const all = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/') && path !== '/api/users/self')
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, rest]) => ({ ...rest, method, path })),
    )
  return headings.flatMap(({ name: heading, tags: members }) =>
    members.flatMap((tag) => {
      const operations = all.filter((each) => each.tags[0] === tag)
      const described = tags.find(({ name }) => name === tag)
      if (tag === 'session' || operations.length === 0 || described === undefined) return []
      const { 'x-displayName': title, description } = described
      const names = [tag, title].map((name) => singularOf(kebab(name)))
      const list = findList(operations, names)
      const nouns = list === undefined ? names : [listedNoun(list), ...names]
      return {
        name: kebab(title),
        label: singularOf(title),
        tag,
        description,
        heading,
        operations,
        nouns,
        list,
      }
    }),
  )
}

/** Finds the operation that lists the records of a group: the one with its name, else the one with the shortest path. */
function findList(
  operations: readonly Operation[],
  names: readonly string[],
): Operation | undefined {
  const lists = operations.filter(({ operationId }) => operationId.startsWith('list'))
  return (
    lists.find((list) => names.includes(listedNoun(list))) ??
    lists.toSorted((one, other) => depthOf(one) - depthOf(other))[0]
  )
}

const listedNoun = ({ operationId }: Operation) =>
  singularOf(kebab(operationId.slice('list'.length)))
const depthOf = ({ path }: Operation) => path.split('/').length

/** `deliveries` is `delivery`, `emails` is `email`. */
export function singularOf(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '')
}

/** Returns the name of the command of an operation: its id without the noun of its group, such as `list` for `listEmails`. */
export function nameOf({ operationId }: Operation, { nouns }: ApiGroup): string {
  const name = kebab(operationId)
  const shorter = nouns.map((noun) =>
    name.replace(new RegExp(`-(?:${noun}s?|${noun.replace(/y$/, 'ies')})(?=-|$)`), ''),
  )
  return shorter.find((each) => each !== name) ?? name
}

/** Follows the reference of a schema to the components. */
export function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  if (name === undefined) return schema
  const { $ref: _, ...rest } = schema
  return { ...readDocument().components.schemas[name], ...rest }
}

/** The types of a schema and of its alternatives. */
export function typesOf(schema: Schema): readonly string[] {
  const own = [schema.type ?? []].flat()
  const values = (schema.enum ?? []).map((value) => (value === null ? 'null' : typeof value))
  return [...own, ...values, ...(schema.anyOf ?? []).flatMap((each) => typesOf(resolve(each)))]
}

/** The schema of lists, of a schema that is one or has it as an alternative; undefined without one. */
export function listOf(schema: Schema): Schema | undefined {
  const all = [schema, ...(schema.anyOf ?? []).map(resolve)]
  return all.find(({ type }) => [type].flat().includes('array'))
}

/** Whether a value is an object, or a list of them: it is given as JSON. */
export function isNested(schema: Schema): boolean {
  const list = listOf(schema)
  const ofItems = list?.items === undefined ? [] : typesOf(resolve(list.items))
  const isOfLists = list !== undefined && list.items === undefined
  return isOfLists || [...typesOf(schema), ...ofItems].includes('object')
}

/**
 * Returns what the body of an operation may be; undefined without one. The description names another content type that it may have:
 * ``Send CSV with `Content-Type: text/csv` ``.
 */
export function bodyOf({ requestBody, description = '' }: Operation) {
  const [content] = Object.entries(requestBody?.content ?? {})
  if (content === undefined) return undefined
  const [type, { schema, example }] = content
  const [, otherType] = /`Content-Type: ([\w/]+)`/.exec(description) ?? []
  return { type, otherType, schema: resolve(schema), example }
}
