import type { FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { ErrorStatus } from './errors.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** Errors of the route besides those that follow from its schema: `[409]`. */
    errors?: readonly ErrorStatus[]
    /** Read by `addErrorResponses`. */
    'x-errors'?: readonly ErrorStatus[]
  }
}

/** The security schemes; a request needs one of them. */
const security = [{ basic: [] }, { bearer: [] }, { oauth2: [] }]

/** Returns a route's schema with security, errors and examples, which follow from its permission and its schema. */
export function describeOperation(
  schema: FastifySchema = {},
  { config, url }: Pick<RouteOptions, 'config' | 'url'>,
): FastifySchema {
  const needed = [config?.permission ?? []].flat()
  const isPublic = needed.includes('public')
  const permissions = needed.filter((each) => each !== 'public' && each !== 'authenticated')
  const { errors: _, ...rest } = schema
  const description = [
    rest.description,
    config?.isExpensive === true && expensiveSentence,
    permissionSentence(permissions),
    config?.needsAllBrands === true && 'Only who has all brands may do this.',
  ]
    .filter(Boolean)
    .join('\n\n')
  return {
    ...rest,
    ...(description === '' ? {} : { description }),
    // An empty requirement makes a log-in optional.
    security: isPublic ? [] : [...(config?.isPublicOnLoopback === true ? [{}] : []), ...security],
    'x-errors': errorsOf(schema, { isPublic, url }),
    ...(rest.body === undefined ? {} : { body: withExample(rest.body) }),
    response: describeAnswers((rest.response ?? {}) as Record<string, TSchema>),
  }
}

const expensiveSentence =
  'Two such requests of a caller run at a time and twenty wait; more are answered 429. Repeat those after `Retry-After`.'

function permissionSentence(permissions: readonly string[]): string {
  if (permissions.length === 0) return ''
  if (permissions.includes('administrator')) return 'Needs an administrator.'
  const list = permissions.map((each) => `\`${each}\``).join(' and ')
  return `Needs the ${permissions.length === 1 ? 'permission' : 'permissions'} ${list}.`
}

/** Returns the errors of a route, in order, without those whose response the route describes itself. */
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
      'x-response-description': status === '201' ? 'Created.' : 'Done.',
      ...withExample(schema),
    },
  ])
  return Object.fromEntries(entries) as Record<string, TSchema>
}

/** Adds an example to a schema without one whose parts have examples. */
function withExample(schema: unknown): TSchema {
  const example = exampleOf(schema as TSchema)
  return example === undefined
    ? (schema as TSchema)
    : { ...(schema as TSchema), examples: [example] }
}

/** The part of JSON Schema that examples are made from. */
interface Schema {
  examples?: readonly unknown[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
}

/** Returns the example of a schema, or one made of the examples of its parts; undefined when a required part has none. */
function exampleOf(schema: Schema): unknown {
  const { examples, enum: values, anyOf, properties, items } = schema
  if (examples?.length) return examples[0]
  if ('const' in schema) return schema.const
  if (values?.length) return values[0]
  if (anyOf !== undefined) return anyOf.map(exampleOf).find((each) => each !== undefined)
  if (properties !== undefined) return exampleOfObject(properties, schema.required ?? [])
  const item = items && exampleOf(items)
  return item === undefined ? undefined : [item]
}

function exampleOfObject(properties: Record<string, Schema>, required: readonly string[]): unknown {
  const entries = Object.entries(properties).map(([name, each]) => [name, exampleOf(each)] as const)
  const examples = entries.filter(([, value]) => value !== undefined)
  const isComplete = required.every((name) => examples.some(([each]) => each === name))
  return isComplete ? Object.fromEntries(examples) : undefined
}
