import { hash } from 'node:crypto'
import type { RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { HttpApp } from '../http-app.ts'
import type { ApiDescription } from './describe-api.ts'

/**
 * Adds `/api/openapi.json` (OpenAPI 3.1). It describes every route that is added later, and is created at the first request
 * for it.
 */
export function addOpenApi(app: HttpApp, description: ApiDescription): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD' && route.schema?.hide !== true) routes.push(route)
  })
  let document: Promise<{ text: Buffer; tag: string }> | undefined
  const describe = async () => {
    const { describeApi } = await import('./describe-api.ts')
    const text = Buffer.from(JSON.stringify(await describeApi(routes, description)))
    return { text, tag: `"${hash('sha256', text, 'base64url')}"` }
  }
  const options = { schema: { hide: true }, config: { permission: 'public' as const } }
  app.get('/api/openapi.json', options, async (request, reply) => {
    document ??= describe().catch((error: unknown) => {
      document = undefined
      throw error
    })
    const { text, tag } = await document
    reply.headers({ etag: tag, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
}

/** Response headers, as the OpenAPI document describes them. */
const headers = {
  ETag: {
    type: 'string',
    description: 'The revision of the record, for `If-Match`.',
    examples: ['"1"'],
  },
  Location: {
    type: 'string',
    description: 'The path of the new record.',
    examples: ['/api/multipleTransports/1'],
  },
  Link: {
    type: 'string',
    description: 'The first, previous, next and last page (RFC 8288), where the list has pages.',
    examples: ['</api/emails?start=30&limit=30>; rel="next"'],
  },
  'X-Total-Count': {
    type: 'integer',
    description: 'The number of entries of all pages.',
    examples: [1],
  },
} as const

/** Returns a response schema with these headers. */
export function withHeaders<T extends TSchema>(
  schema: T,
  ...names: readonly (keyof typeof headers)[]
): T {
  const chosen = Object.fromEntries(names.map((name) => [name, headers[name]]))
  return { ...schema, headers: chosen }
}
