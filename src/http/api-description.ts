import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify'
import Type from 'typebox'
import { AppError } from '../kit/app-error.ts'
import { answerTo } from './error-body.ts'
import type { RoutePermission } from './http-app.ts'
import { shareTitled } from './share-titled.ts'

const errorSchema = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'One sentence for a person.' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Every fault of the request, by field.',
      }),
    ),
  },
  {
    title: 'Error',
    // Some say more, such as line and column.
    additionalProperties: true,
  },
)

/** Nothing is fetched from anywhere else; the reader's own styles are inline. */
const docsPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** What the description says of the product. */
export interface ApiDescription {
  version: string
  /** Each permission area and what it is about. */
  tags: { name: string; description: string }[]
}

/**
 * Describes routes, from the schemas that validate and serialize: OpenAPI 3.1 by `swagger()`, and the pages
 * that show it, under `/api/docs`. It answers nothing else; the routes that it knows do nothing here.
 */
export async function createDescription(
  routes: readonly RouteOptions[],
  { version, tags }: ApiDescription,
): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  app.setNotFoundHandler((request, reply) => {
    const unknown = new AppError('not_found', 'path_unknown', `There is nothing at ${request.url}.`)
    const { status, body } = answerTo(unknown, request.id)
    return reply.code(status).send(body)
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Mailyard',
        version,
        description: 'Sends every email through the right mail transport.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags,
      components: {
        securitySchemes: {
          basic: { type: 'http', scheme: 'basic' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    transformObject: (document) =>
      'openapiObject' in document ? shareTitled(document.openapiObject) : document.swaggerObject,
    transform: ({ schema, url, route }) => ({ schema: describeRoute(schema, route), url }),
  })
  await app.register(swaggerUi, {
    routePrefix: '/api/docs',
    staticCSP: docsPolicy,
    uiConfig: { validatorUrl: null, displayRequestDuration: true, docExpansion: 'none' },
  })
  for (const { method, url, schema, config } of routes) {
    app.route({
      method,
      url,
      handler: () => undefined,
      ...(schema === undefined ? {} : { schema }),
      ...(config === undefined ? {} : { config }),
    })
  }
  await app.ready()
  return app
}

/** Adds to a route's own schema what is true of every route. */
function describeRoute(schema: FastifySchema | undefined, route: RouteOptions): FastifySchema {
  const permission = route.config?.permission ?? []
  const needed: readonly RoutePermission[] =
    typeof permission === 'string' ? [permission] : permission
  const isPublic = needed.includes('public')
  const areas = needed.filter((each) => each !== 'public' && each !== 'authenticated')
  const answer = (description: string) => ({
    description,
    content: { 'application/json': { schema: errorSchema } },
  })
  const errors = {
    400: answer('The request has faults; `details` lists them.'),
    ...(isPublic ? {} : { 401: answer('Nobody known.') }),
    ...(isPublic
      ? {}
      : { 403: answer(`Not allowed${areas.length > 0 ? `: needs ${areas.join(', ')}` : ''}.`) }),
    ...(route.url.includes(':') ? { 404: answer('There is none with this id.') } : {}),
    default: answer('Any other error.'),
  }
  return {
    ...schema,
    ...(isPublic ? {} : { security: [{ basic: [] }, { bearer: [] }] }),
    response: { ...errors, ...(schema?.response as object | undefined) },
  }
}
