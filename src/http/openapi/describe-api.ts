import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { AppError } from '../../kit/app-error.ts'
import { answerTo } from '../error-body.ts'
import { describeOperation } from './describe-operation.ts'
import { docsPage } from './docs-page.ts'
import { shareErrors } from './share-errors.ts'
import { shareTitled } from './share-titled.ts'

/** What the description says of the product. */
export interface ApiDescription {
  version: string
  /** Each group of routes and what it is about. */
  tags: { name: string; description: string }[]
}

const token = { tokenUrl: '/oauth/v2/token', scopes: {} }

const securitySchemes = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'User name or email address, and password. It can be disabled.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of OAuth 2.0 that you have already.',
  },
  oauth2: {
    type: 'oauth2',
    description: 'Clients are managed at `/api/oauthClients`. PKCE is supported.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/oauth/v2/authorize',
        refreshUrl: '/oauth/v2/token',
        ...token,
      },
      clientCredentials: token,
    },
  },
} as const

/**
 * Describes routes, from the schemas that validate and serialize: OpenAPI 3.1 by `swagger()`, and the pages
 * that show it, under `/api/docs`. It answers nothing else; the routes that it knows do nothing here.
 */
export async function describeApi(
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
        contact: { name: 'Mailyard' },
      },
      servers: [{ url: '/', description: 'This Mailyard.' }],
      tags,
      components: { securitySchemes },
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? shareTitled(shareErrors(document.openapiObject as object))
        : document.swaggerObject,
    transform: ({ schema, url, route }) => ({ schema: describeOperation(schema, route), url }),
  })
  await app.register(swaggerUi, { routePrefix: '/api/docs', ...docsPage })
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
