import type { FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { ErrorStatus } from './errors.ts'
import { exampleOf } from './example-of.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** Errors that the route answers beside those that its shape tells: `[409]`. */
    errors?: readonly ErrorStatus[]
    /** For the description of the API; see `shareErrors`. */
    'x-errors'?: readonly ErrorStatus[]
  }
}

/** Every way to log in; one of them is needed. */
const security = [{ basic: [] }, { bearer: [] }, { oauth2: [] }]

/** Adds to a route's own schema what its shape and its permission tell: security, errors and examples. */
export function describeOperation(
  schema: FastifySchema = {},
  { config, url }: Pick<RouteOptions, 'config' | 'url'>,
): FastifySchema {
  const needed = [config?.permission ?? []].flat()
  const isPublic = needed.includes('public')
  const permissions = needed.filter((each) => each !== 'public' && each !== 'authenticated')
  const { errors: _, ...own } = schema
  const description = [own.description, permissionSentence(permissions)]
    .filter(Boolean)
    .join('\n\n')
  return {
    ...own,
    ...(description === '' ? {} : { description }),
    security: isPublic ? [] : security,
    'x-errors': errorsOf(schema, { isPublic, url }),
    ...(own.body === undefined ? {} : { body: withExample(own.body) }),
    response: describeAnswers((own.response ?? {}) as Record<string, TSchema>),
  }
}

function permissionSentence(permissions: readonly string[]): string {
  if (permissions.length === 0) return ''
  const list = permissions.map((each) => `\`${each}\``).join(' and ')
  return `Needs the ${permissions.length === 1 ? 'permission' : 'permissions'} ${list}.`
}

/** The errors of a route, in order, without those whose answer the route describes itself. */
function errorsOf(
  { errors = [], params, querystring, headers, body, response }: FastifySchema,
  { isPublic, url }: { isPublic: boolean; url: string },
): ErrorStatus[] {
  const hasInput = [params, querystring, headers, body].some((part) => part !== undefined)
  const isApi = !isPublic || url.startsWith('/oauth/')
  const hasReference = params !== undefined || JSON.stringify(body ?? {}).includes('"reference":')
  const all = new Set<ErrorStatus>([
    ...(hasInput ? [400 as const] : []),
    ...(isPublic ? [] : [401 as const]),
    ...(isApi ? [403 as const] : []),
    ...(hasReference ? [404 as const] : []),
    ...(JSON.stringify(headers ?? {}).includes('"if-match"') ? [409 as const] : []),
    ...(body === undefined ? [] : [413 as const, 415 as const]),
    ...(isApi ? [429 as const, 503 as const] : []),
    500,
    ...errors,
  ])
  const described = Object.keys(response ?? {})
  return [...all].filter((each) => !described.includes(String(each))).sort((a, b) => a - b)
}

function describeAnswers(answers: Record<string, TSchema>): Record<string, TSchema> {
  const entries = Object.entries(answers).map(([status, schema]) => [
    status,
    {
      'x-response-description': status === '201' ? 'It was created.' : 'It was done.',
      ...withExample(schema),
    },
  ])
  return Object.fromEntries(entries) as Record<string, TSchema>
}

/** Shows the example of a schema where it has none of its own but its parts have. */
function withExample(schema: unknown): TSchema {
  const example = exampleOf(schema as TSchema)
  return example === undefined
    ? (schema as TSchema)
    : { ...(schema as TSchema), examples: [example] }
}
