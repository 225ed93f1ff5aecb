import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** As much of JSON Schema as the description uses, its references resolved. */
export interface JsonSchema {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  anyOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** A parameter in the path, the query or a header. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: JsonSchema
}

/** What the description says of an answer: its media types, and what is wrong with a body. */
export interface DescribedAnswer {
  mediaTypes: readonly string[]
  /** Undefined where nothing is. */
  findFault(body: unknown): string | undefined
}

/** One method of one path, as the description has it. */
export interface Operation {
  method: string
  path: string
  parameters: readonly Parameter[]
  body: JsonSchema | undefined
  isPublic: boolean
  /** For a status; the one for any other where it is not written out. */
  answerFor(status: number): DescribedAnswer | undefined
}

interface Content {
  content?: Record<string, { schema?: JsonSchema }>
}

interface DescribedOperation {
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content>
  security?: unknown
}

/** An OpenAPI document, as the service gives it. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, JsonSchema> }
}

/** Reads every operation of an OpenAPI document. */
export function readOperations(document: OpenApiDocument): Operation[] {
  const { schemas } = document.components
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      readOperation(method.toUpperCase(), path, resolve(operation, schemas) as DescribedOperation),
    ),
  )
}

/** The operation that a request names, by its path as it stands; one that is written out goes first. */
export function findOperation(
  operations: readonly Operation[],
  { method, target }: { method: string; target: string },
): Operation | undefined {
  const [path = ''] = target.split('?')
  const matching = operations.filter(
    (each) =>
      each.method === method &&
      new RegExp(`^${each.path.replaceAll(/{\w+}/g, '[^/]+')}/?$`).test(path),
  )
  return matching.find((each) => !each.path.includes('{')) ?? matching[0]
}

function readOperation(method: string, path: string, operation: DescribedOperation): Operation {
  const answers = new Map(
    Object.entries(operation.responses).map(([status, { content }]) => [
      status,
      describeAnswer(content ?? {}),
    ]),
  )
  return {
    method,
    path,
    parameters: operation.parameters ?? [],
    body: Object.values(operation.requestBody?.content ?? {})[0]?.schema,
    isPublic: operation.security === undefined,
    // What goes well is always written out.
    answerFor: (status) =>
      answers.get(String(status)) ?? (status < 400 ? undefined : answers.get('default')),
  }
}

function describeAnswer(content: Record<string, { schema?: JsonSchema }>): DescribedAnswer {
  let validator: Validator | undefined
  const schema = content['application/json']?.schema
  return {
    mediaTypes: Object.keys(content),
    findFault(body) {
      if (schema === undefined) return undefined
      validator ??= Compile(withoutMore(schema) as TSchema)
      if (validator.Check(body)) return undefined
      const [first] = validator.Errors(body)
      return `${first?.instancePath ?? ''} ${first?.message ?? ''}`
    },
  }
}

/** A member that the description does not name is a leak. */
function withoutMore(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutMore)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withoutMore(value)]),
  )
  const isClosed = 'properties' in copy && !('additionalProperties' in copy)
  return isClosed ? { ...copy, additionalProperties: false } : copy
}

function resolve(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => resolve(each, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { $ref: reference } = value as { $ref?: unknown }
  if (typeof reference === 'string') {
    return resolve(schemas[reference.split('/').at(-1) ?? ''], schemas)
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, resolve(each, schemas)]),
  )
}
