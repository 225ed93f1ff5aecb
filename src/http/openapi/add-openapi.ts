import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { HttpApp } from '../http-app.ts'
import type { ApiDescription } from './describe-api.ts'

const options = { schema: { hide: true }, config: { permission: 'public' as const } }

/**
 * Describes every route that is added after it: `/api/openapi.json` (OpenAPI 3.1), and to read it,
 * `/api/docs`. The description is made when it is asked for first: most processes never are.
 */
export function addOpenApi(app: HttpApp, description: ApiDescription): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD' && route.schema?.hide !== true) routes.push(route)
  })
  let described: Promise<FastifyInstance> | undefined
  const describe = () => {
    described ??= loadDescription(routes, description)
    return described
  }
  app.get('/api/openapi.json', options, async () => (await describe()).swagger())
  const showPages = async (request: FastifyRequest, reply: FastifyReply) => {
    const pages = await describe()
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    pages.routing(request.raw, reply.raw)
  }
  app.get('/api/docs', options, showPages)
  app.get('/api/docs/*', options, showPages)
}

async function loadDescription(routes: readonly RouteOptions[], description: ApiDescription) {
  const { describeApi } = await import('./describe-api.ts')
  return describeApi(routes, description)
}
