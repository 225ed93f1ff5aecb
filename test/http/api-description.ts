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
  description?: string
  required?: boolean
  schema: JsonSchema
  example?: string
}

/** What the description says of an answer: its media types, and what is wrong with a body. */
export interface DescribedAnswer {
  mediaTypes: readonly string[]
  /** The names of its headers. */
  headers: readonly string[]
  /** Undefined if there is no example. */
  example: unknown
  /** Returns what is wrong with a body; undefined if it is valid. */
  findFault: (body: unknown) => string | undefined
}

/** One method of one path, as the description has it. */
export interface Operation {
  operationId: string | undefined
  method: string
  path: string
  parameters: readonly Parameter[]
  body: JsonSchema | undefined
  bodyMediaType: string | undefined
  bodyExample: unknown
  /** Whether a log-in is not needed; the requests of tests come from loopback. */
  isPublic: boolean
  /** Every status that is described. */
  statuses: readonly number[]
  answerFor(status: number): DescribedAnswer | undefined
}

type Media = Record<string, { schema?: JsonSchema; example?: unknown }>

interface Content {
  content?: Media
  headers?: Record<string, unknown>
}

interface DescribedOperation {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content>
  security?: readonly object[]
}

/** An OpenAPI document, as the service gives it. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Content> }
}

/** Reads every operation of an OpenAPI document. */
export function readOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      readOperation(method.toUpperCase(), path, resolve(operation, document) as DescribedOperation),
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
    Object.entries(operation.responses).map(([status, answer]) => [status, describeAnswer(answer)]),
  )
  const [media] = Object.entries(operation.requestBody?.content ?? {})
  return {
    operationId: operation.operationId,
    method,
    path,
    parameters: operation.parameters ?? [],
    body: media?.[1].schema,
    bodyMediaType: media?.[0],
    bodyExample: media?.[1].example,
    isPublic: isPublic(operation),
    statuses: [...answers.keys()].map(Number),
    answerFor: (status) => answers.get(String(status)),
  }
}

function isPublic({ security = [{ needed: [] }] }: DescribedOperation): boolean {
  return security.length === 0 || security.some((each) => Object.keys(each).length === 0)
}

function describeAnswer({ content = {}, headers = {} }: Content): DescribedAnswer {
  let validator: Validator | undefined
  const schema = content['application/json']?.schema
  return {
    mediaTypes: Object.keys(content),
    headers: Object.keys(headers),
    example: Object.values(content)[0]?.example,
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

function resolve(value: unknown, document: OpenApiDocument): unknown {
  if (Array.isArray(value)) return value.map((each) => resolve(each, document))
  if (typeof value !== 'object' || value === null) return value
  const { $ref: reference } = value as { $ref?: unknown }
  if (typeof reference === 'string') return resolve(follow(reference, document), document)
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, resolve(each, document)]),
  )
}

/** What a reference such as `#/components/schemas/User` leads to. */
function follow(reference: string, document: OpenApiDocument): unknown {
  let part: unknown = document
  for (const key of reference.split('/').slice(1)) {
    part = (part as Record<string, unknown> | undefined)?.[key]
  }
  return part
}
