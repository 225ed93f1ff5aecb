import swagger from '@fastify/swagger'
import type { RouteOptions } from 'fastify'
import Fastify from 'fastify'
import { describeOperation } from './describe-operation.ts'
import { addErrorResponses } from './errors.ts'

/** The parts of the OpenAPI document that are not from routes. */
export interface ApiDescription {
  version: string
  /** The groups of routes, with the titles of their pages. */
  tags: { name: string; description: string; 'x-displayName': string }[]
  /** The parts of the menu that leads to them. */
  tagGroups: { name: string; tags: string[] }[]
}

const token = { tokenUrl: '/oauth/v2/token', scopes: {} }

const securitySchemes = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'User name or email address, and password. An operator can disable it.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'An OAuth 2.0 access token.' },
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
 * Returns the OpenAPI 3.1 document of routes, made of the schemas that validate and serialize them. The plug-in that writes
 * it reads the routes of an application: this one, in which they do nothing.
 */
export async function describeApi(
  routes: readonly RouteOptions[],
  { version, tags, tagGroups }: ApiDescription,
): Promise<object> {
  const app = Fastify()
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
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
        ? moveSchemasToComponents(addErrorResponses(document.openapiObject as object))
        : document.swaggerObject,
    transform: ({ schema, url, route }) => ({ schema: describeOperation(schema, route), url }),
  })
  // In the order of the menu, whatever the order in which modules add their routes.
  const names = tags.map(({ name }) => name)
  const placeOf = ({ schema }: RouteOptions) => names.indexOf(String(schema?.tags?.[0]))
  const ordered = routes.toSorted((one, other) => placeOf(one) - placeOf(other))
  for (const { method, url, schema, config } of ordered) {
    app.route({
      method,
      url,
      handler: () => undefined,
      ...(schema === undefined ? {} : { schema }),
      ...(config === undefined ? {} : { config }),
    })
  }
  await app.ready()
  return { ...app.swagger(), 'x-tagGroups': tagGroups }
}

interface Description {
  components?: { schemas?: Record<string, unknown> }
}

/** Keywords of our schemas that JSON Schema does not have: the message of a fault, and the mark of an id of another record. */
const ownKeywords = new Set(['fault', 'reference'])

/** Moves every schema with a title to the components and replaces it by a reference. Removes keywords that OpenAPI does not have. */
function moveSchemasToComponents<T extends Description>(document: T): T {
  const schemas: Record<string, unknown> = {}
  const shared = share(document, schemas) as T
  const components = {
    ...shared.components,
    schemas: { ...shared.components?.schemas, ...schemas },
  }
  return { ...shared, components }
}

function share(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => share(each, schemas))
  if (typeof value !== 'object' || value === null) return value
  const isSchema = 'type' in value || 'anyOf' in value
  const entries = Object.entries(value)
    .filter(([key]) => !isSchema || !ownKeywords.has(key))
    .map(([key, each]) => [key, share(each, schemas)])
  const copy = Object.fromEntries(entries) as {
    title?: unknown
    type?: unknown
    description?: unknown
  }
  if (typeof copy.title !== 'string' || copy.type === undefined) return copy
  const { title, description, ...schema } = copy
  schemas[title] ??= { title, ...schema }
  const reference = { $ref: `#/components/schemas/${title}` }
  return typeof description === 'string' ? { ...reference, description } : reference
}
