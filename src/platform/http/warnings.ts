import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { AppError } from '../../kit/app-error.ts'
import { suggest } from '../../kit/suggest.ts'
import { IgnoredNames, pickKnownFields } from './known-fields.ts'
import { readFlag } from './query.ts'
import { validationError } from './schema-compilers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `describeNames`. */
    names?: KnownNames
  }
}

/** The names that the requests of a route may have. */
interface KnownNames {
  query: QuerySchema
  body: TSchema | undefined
  /** Whether it changes something, so that an unknown safeguard is refused. */
  isChange: boolean
  /** Whether its answer has other `warnings`, which are not sentences. */
  hasOwnWarnings: boolean
}

/** `alsoKnown`: parameters that are read but not described in the OpenAPI document. */
interface QuerySchema {
  properties?: object
  alsoKnown?: readonly string[]
}

const warningsKey = Symbol('warnings')

type WarnedRequest = FastifyRequest & { [warningsKey]?: string[] }

/** Returns the warnings for the response to a request. */
export function warningsOf(request: WarnedRequest): readonly string[] {
  return request[warningsKey] ?? []
}

function warn(request: WarnedRequest, ignored: IgnoredNames): void {
  const warnings = ignored.warnings()
  if (warnings.length > 0) request[warningsKey] = [...warningsOf(request), ...warnings]
}

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Notes the names that a route knows, for `checkNames`, and adds `warnings` to the schema of its answer. */
export function describeNames(route: RouteOptions): void {
  const { schema, method, url, config } = route
  // The OAuth library reads the parameters of its routes itself, and their responses have only the members of RFC 6749.
  if (schema === undefined || method === 'HEAD' || !url.startsWith('/api/')) return
  const body = schema.body as TSchema | undefined
  const query = (schema.querystring ?? {}) as QuerySchema
  const isChange = [method].flat().some((each) => !readMethods.has(each))
  route.config = {
    ...config,
    names: { query, body, isChange, hasOwnWarnings: hasOwnWarnings(schema) },
  }
  if (body !== undefined || query.properties !== undefined) route.schema = describeWarnings(schema)
}

/**
 * Removes unknown fields from the body of a request, and notes warnings about them and about unknown query parameters.
 *
 * @returns The error for unknown fields where the schema has `additionalProperties: false`, and for a safeguard, such as
 * `dryRun`, that the route does not have.
 */
export function checkNames(request: WarnedRequest): AppError | undefined {
  const { names } = request.routeOptions.config
  if (names === undefined) return undefined
  const { query, body, isChange } = names
  if (query.properties !== undefined) warn(request, findUnknownParameters(request, query))
  if (body !== undefined) {
    const { value, ignored } = pickKnownFields(request.body, body)
    const isStrict = 'additionalProperties' in body && body.additionalProperties === false
    const faults = isStrict ? ignored.faults() : {}
    if (Object.keys(faults).length > 0) return validationError(faults)
    request.body = value
    warn(request, ignored)
  }
  return isChange ? refuseSafeguards(request, query) : undefined
}

function isKnown(name: string, { properties = {}, alsoKnown = [] }: QuerySchema): boolean {
  return Object.hasOwn(properties, name) || alsoKnown.includes(name)
}

function findUnknownParameters(request: FastifyRequest, query: QuerySchema): IgnoredNames {
  const ignored = new IgnoredNames('parameter')
  for (const name of Object.keys(request.query as object))
    if (!isKnown(name, query)) ignored.add({ name, path: '', known: query.properties ?? {} })
  return ignored
}

/** Parameters that keep a request from changing something. To ignore one would change what the caller wants to be unchanged. */
const safeguards = ['dryRun', 'ifTestPasses']

/** Refuses a safeguard at a route that does not have it, and where it is misspelled. */
function refuseSafeguards(request: FastifyRequest, query: QuerySchema): AppError | undefined {
  for (const [name, value] of Object.entries(request.query as object)) {
    if (isKnown(name, query) || readFlag(String(value)) === false) continue
    const meant = safeguards.find((each) => suggest(name, [each]) !== undefined)
    if (meant === undefined) continue
    const fault = isKnown(meant, query)
      ? `is unknown; write ${meant}`
      : 'is not available here. Leave it out; the request then changes the record at once'
    return validationError({ [name]: [fault] })
  }
  return undefined
}

/** Adds the warnings to an answer: as its member `warnings`, or as the header `X-Warnings` where it is no object. */
export function addWarnings(
  payload: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): unknown {
  const warnings = warningsOf(request)
  if (warnings.length === 0) return payload
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload)
  if (!isObject || request.routeOptions.config.names?.hasOwnWarnings) {
    sendWarningsHeader(request, reply)
    return payload
  }
  const { warnings: ownWarnings = [] } = payload as { warnings?: readonly string[] }
  return { ...payload, warnings: [...ownWarnings, ...warnings] }
}

/** Sends `X-Warnings`, a JSON list. It is written in ASCII, because an ignored name may have any character. */
export function sendWarningsHeader(request: FastifyRequest, reply: FastifyReply): void {
  const warnings = warningsOf(request)
  if (warnings.length > 0) reply.header('x-warnings', toAscii(JSON.stringify(warnings)))
}

function toAscii(json: string): string {
  return json.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

interface AnswerSchema {
  type?: string
  properties?: Record<string, { items?: { type?: string } }>
}

function answersOf({ response = {} }: FastifySchema): [string, AnswerSchema][] {
  return Object.entries(response as Record<string, AnswerSchema>)
}

/** Whether the response of the route has other `warnings`, which are not sentences. */
function hasOwnWarnings(schema: FastifySchema): boolean {
  return answersOf(schema).some(([, { properties }]) => {
    const property = properties?.['warnings']
    return property !== undefined && property.items?.type !== 'string'
  })
}

const warningsSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Ignored names, such as unknown fields, and advice.',
}

/** Adds `warnings` to the responses of a route's schema. */
function describeWarnings(schema: FastifySchema): FastifySchema {
  const response = answersOf(schema).map(([status, answer]) => {
    const { type, properties } = answer
    const isClosed = type === 'object' && properties !== undefined
    if (!isClosed || properties['warnings'] !== undefined) return [status, answer]
    return [status, { ...answer, properties: { ...properties, warnings: warningsSchema } }]
  })
  return { ...schema, response: Object.fromEntries(response) }
}
