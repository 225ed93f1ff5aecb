/** The parts of an OpenAPI 3.1 document that the pages show. */
export interface ApiDocument {
  info: { version: string }
  tags: readonly { name: string; description: string; 'x-displayName': string }[]
  'x-tagGroups': readonly { name: string; tags: readonly string[] }[]
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    responses: Readonly<Record<string, Answer>>
  }
}

interface Described {
  operationId: string
  summary: string
  description?: string
  tags: readonly string[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, Content>> }
  responses: Readonly<Record<string, Answer & { $ref?: string }>>
  /** Empty where no log-in is needed. */
  security: readonly object[]
}

export type Operation = Described & { method: string; path: string }

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: string
  schema?: Schema
}

interface Answer {
  description: string
  headers?: Readonly<Record<string, { description?: string }>>
  content?: Readonly<Record<string, Content>>
}

export interface Content {
  schema?: Schema
  example?: unknown
}

export interface Schema {
  $ref?: string
  title?: string
  description?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  additionalProperties?: boolean | Schema
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
}

export interface Group {
  name: string
  title: string
  description: string
  operations: readonly Operation[]
}

/** Returns the pages of operations below the headings of the menu. */
export function readMenu(document: ApiDocument): { heading: string; groups: Group[] }[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
    })),
  )
  return document['x-tagGroups'].map(({ name: heading, tags }) => ({
    heading,
    groups: document.tags
      .filter(({ name }) => tags.includes(name))
      .map(({ name, description, 'x-displayName': title }) => ({
        name,
        title,
        description,
        operations: operations.filter((each) => each.tags.includes(name)),
      })),
  }))
}

/** The last part of a reference: the name of a schema or of an answer. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The names that the search finds an operation by, besides its link in the menu: of itself, its parameters and the fields of its body. */
export function namesOf(
  { operationId, path, parameters = [], requestBody }: Operation,
  schemas: Readonly<Record<string, Schema>>,
): string {
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) =>
    schema?.$ref === undefined ? schema : schemas[nameOf(schema.$ref)],
  )
  const fields = bodies.flatMap((each) => Object.keys(each?.properties ?? {}))
  return [operationId, path, ...parameters.map(({ name }) => name), ...fields].join(' ')
}
