import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { HttpRequestHook } from './http-app.ts'
import { IgnoredNames } from './ignored-names.ts'
import { pickKnownFields } from './known-fields.ts'

/** Nobody else has this key; see `createCallers`. */
const warningsKey = Symbol('warnings')

type WarnedRequest = FastifyRequest & { [warningsKey]?: string[] }

/** What the answer to a request warns of. */
export function warningsOf(request: WarnedRequest): readonly string[] {
  return request[warningsKey] ?? []
}

function warn(request: WarnedRequest, ignored: IgnoredNames): void {
  const warnings = ignored.warnings()
  if (warnings.length > 0) request[warningsKey] = [...warningsOf(request), ...warnings]
}

/**
 * Lets through what the schemas of a route name, and nothing else of its body; the answer warns of the rest, and
 * of unknown query parameters. An object has the member `warnings`, any other answer the header `X-Warnings`.
 * Reads without a query have no such hooks: each costs as much as a small look-up.
 */
export function ignoreUnknownNames(route: RouteOptions): void {
  const { schema, method, url } = route
  // OAuth's library reads its own parameters, and its answers have the members of RFC 6749.
  if (schema === undefined || method === 'HEAD' || !url.startsWith('/api/')) return
  const body = schema.body as TSchema | undefined
  const query = schema.querystring as QuerySchema | undefined
  const hooks: HttpRequestHook[] = []
  if (query?.properties !== undefined) hooks.push(findUnknownParameters(query))
  if (body !== undefined) hooks.push(keepKnownFields(body))
  if (hooks.length === 0) return
  route.preValidation = [...hooks, ...[route.preValidation ?? []].flat()]
  route.schema = describeWarnings(schema)
  const isMember = !hasOwnWarnings(schema)
  const addWarnings = (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    next: (error: null, payload: unknown) => void,
  ) =>
    next(
      null,
      isMember ? withWarnings(payload, request, reply) : onlyHeader(payload, request, reply),
    )
  route.preSerialization = [addWarnings, ...[route.preSerialization ?? []].flat()]
}

/** `alsoKnown`: what is understood besides, and is not in the API's description. */
interface QuerySchema {
  properties?: object
  alsoKnown?: readonly string[]
}

function findUnknownParameters({ properties = {}, alsoKnown = [] }: QuerySchema): HttpRequestHook {
  return (request, _reply, next) => {
    const ignored = new IgnoredNames('parameter')
    for (const name of Object.keys(request.query as object))
      if (!Object.hasOwn(properties, name) && !alsoKnown.includes(name))
        ignored.add({ name, path: '', known: properties })
    warn(request, ignored)
    next()
  }
}

function keepKnownFields(schema: TSchema): HttpRequestHook {
  return (request, _reply, next) => {
    const { value, ignored } = pickKnownFields(request.body, schema)
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
  const { warnings: own = [] } = payload as { warnings?: readonly string[] }
  return { ...payload, warnings: [...own, ...warnings] }
}

function onlyHeader(payload: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
  sendWarningsHeader(request, reply)
  return payload
}

/** `X-Warnings`: a list in JSON, in ASCII, since a name may hold anything. */
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

/** Whether the answer has warnings of another kind, which are no sentences. */
function hasOwnWarnings(schema: FastifySchema): boolean {
  return answersOf(schema).some(([, { properties }]) => {
    const own = properties?.['warnings']
    return own !== undefined && own.items?.type !== 'string'
  })
}

const warningsSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'What was ignored, such as unknown fields, and other advice.',
}

/** The schema of a route whose answers may have `warnings`. */
function describeWarnings(schema: FastifySchema): FastifySchema {
  const response = answersOf(schema).map(([status, answer]) => {
    const { type, properties } = answer
    const isClosed = type === 'object' && properties !== undefined
    if (!isClosed || properties['warnings'] !== undefined) return [status, answer]
    return [status, { ...answer, properties: { ...properties, warnings: warningsSchema } }]
  })
  return { ...schema, response: Object.fromEntries(response) }
}
