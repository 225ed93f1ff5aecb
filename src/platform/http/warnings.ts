import type {
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  preSerializationHookHandler,
  RouteOptions,
} from 'fastify'
import type { TSchema } from 'typebox'
import { suggest } from '../../kit/suggest.ts'
import type { HttpRequestHook } from './http-app.ts'
import { IgnoredNames, pickKnownFields } from './known-fields.ts'
import { readFlag } from './query.ts'
import { validationError } from './schema-compilers.ts'

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

/**
 * Adds hooks to a route that remove unknown fields from its body, and add warnings about them and about unknown query
 * parameters to the response: as its member `warnings`, or as the header `X-Warnings` where the response is no object. A safeguard,
 * such as `dryRun`, that the route does not have is refused.
 */
export function ignoreUnknownNames(route: RouteOptions): void {
  const { schema, method, url } = route
  // The OAuth library reads the parameters of its routes itself, and their responses have only the members of RFC 6749.
  if (schema === undefined || method === 'HEAD' || !url.startsWith('/api/')) return
  const body = schema.body as TSchema | undefined
  const query = schema.querystring as QuerySchema | undefined
  if ([method].flat().some((each) => !readMethods.has(each)))
    route.preValidation = [refuseSafeguards(query), ...[route.preValidation ?? []].flat()]
  const hooks: HttpRequestHook[] = []
  if (query?.properties !== undefined) hooks.push(findUnknownParameters(query))
  if (body !== undefined) hooks.push(keepKnownFields(body))
  if (hooks.length === 0) return
  route.preValidation = [...hooks, ...[route.preValidation ?? []].flat()]
  route.schema = describeWarnings(schema)
  const present = hasOwnWarnings(schema) ? onlyHeader : withWarnings
  const addWarnings: preSerializationHookHandler = (request, reply, payload, next) =>
    next(null, present(payload, request, reply))
  route.preSerialization = [addWarnings, ...[route.preSerialization ?? []].flat()]
}

/** `alsoKnown`: parameters that are read but not described in the OpenAPI document. */
interface QuerySchema {
  properties?: object
  alsoKnown?: readonly string[]
}

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Parameters that keep a request from changing something. To ignore one would change what the caller wants to be unchanged. */
const safeguards = ['dryRun', 'ifTestPasses']

/** Refuses a safeguard at a route that does not have it, and where it is misspelled. */
function refuseSafeguards({ properties = {}, alsoKnown = [] }: QuerySchema = {}): HttpRequestHook {
  const known = [...Object.keys(properties), ...alsoKnown]
  return (request, _reply, next) => {
    for (const [name, value] of Object.entries(request.query as object)) {
      if (known.includes(name) || readFlag(String(value)) === false) continue
      const meant = safeguards.find((each) => suggest(name, [each]) !== undefined)
      if (meant === undefined) continue
      const fault = known.includes(meant)
        ? `is unknown; write ${meant}`
        : 'is not available here. Leave it out; the request then changes the record at once'
      return next(validationError({ [name]: [fault] }))
    }
    next()
  }
}

function findUnknownParameters({ properties = {}, alsoKnown = [] }: QuerySchema): HttpRequestHook {
  return (request, _reply, next) => {
    const ignored = new IgnoredNames('parameter')
    for (const name of Object.keys(request.query as object)) {
      if (Object.hasOwn(properties, name) || alsoKnown.includes(name)) continue
      ignored.add({ name, path: '', known: properties })
    }
    warn(request, ignored)
    next()
  }
}

/** A schema with `additionalProperties: false` refuses unknown fields. */
function keepKnownFields(schema: TSchema): HttpRequestHook {
  const isStrict = (schema as { additionalProperties?: unknown }).additionalProperties === false
  return (request, _reply, next) => {
    const { value, ignored } = pickKnownFields(request.body, schema)
    const faults = isStrict ? ignored.faults() : {}
    if (Object.keys(faults).length > 0) return next(validationError(faults))
    request.body = value
    warn(request, ignored)
    next()
  }
}

function withWarnings(payload: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
  const warnings = warningsOf(request)
  if (warnings.length === 0) return payload
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    return onlyHeader(payload, request, reply)
  const { warnings: ownWarnings = [] } = payload as { warnings?: readonly string[] }
  return { ...payload, warnings: [...ownWarnings, ...warnings] }
}

function onlyHeader(payload: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
  sendWarningsHeader(request, reply)
  return payload
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
