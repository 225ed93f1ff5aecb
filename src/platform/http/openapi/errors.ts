import Type from 'typebox'

/** The body of every error of the API. */
const errorSchema = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'What is wrong and what to do.' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Every fault of the request, by field.',
      }),
    ),
  },
  {
    title: 'Error',
    // Some errors have more members, such as line and column.
    additionalProperties: true,
  },
)

interface ErrorAnswer {
  /** In the components of the OpenAPI document. */
  name: string
  description: string
  example: { success: false; error: string; details?: Record<string, string[]> }
  headers?: Record<string, object>
}

const errorAnswer = (name: string, description: string, error: string): ErrorAnswer => ({
  name,
  description,
  example: { success: false, error },
})

const header = (description: string, schema: object, example: unknown) => ({
  description,
  schema,
  example,
})

const retryAfter = {
  'Retry-After': header('Seconds to wait before the next try.', { type: 'integer' }, 30),
}

/** The errors that an operation may declare, by status. */
const errors = {
  400: {
    ...errorAnswer(
      'BadRequest',
      'The request has faults. `details` lists them.',
      'name is required.',
    ),
    example: {
      success: false,
      error: 'name is required.',
      details: { name: ['is required'] },
    },
  },
  401: {
    ...errorAnswer(
      'Unauthorized',
      'Authentication required.',
      'Authentication required. Use HTTP Basic, or a bearer token of OAuth 2.0.',
    ),
    headers: {
      'WWW-Authenticate': header(
        'How to log in. Requests of browsers are answered without it.',
        { type: 'string' },
        'Bearer realm="Mailyard"',
      ),
    },
  },
  403: errorAnswer(
    'Forbidden',
    'The caller lacks a permission, the API or HTTP Basic is disabled, or the request comes from another site.',
    'You need the permission multipleTransports:edit for this.',
  ),
  404: errorAnswer(
    'NotFound',
    'No record has this id.',
    'Transport not found: there is none with the id 12.',
  ),
  409: errorAnswer(
    'Conflict',
    'The record is in another state than the request expects, or changed since it was read.',
    'The transport was changed since you read it. Read it again and repeat the change.',
  ),
  413: errorAnswer(
    'ContentTooLarge',
    'The body is too large.',
    'The body is larger than 1048576 bytes, the limit of this path. Send a smaller body.',
  ),
  415: errorAnswer(
    'UnsupportedMediaType',
    'The content type of the body is not supported.',
    'Send the body as application/json.',
  ),
  429: {
    ...errorAnswer(
      'TooManyRequests',
      'Too many failed log-ins, or too many expensive requests of this caller at once.',
      'Too many failed log-ins. Try again in 30 seconds.',
    ),
    headers: retryAfter,
  },
  500: errorAnswer(
    'InternalServerError',
    'An internal error. The log has the details under the id.',
    'Internal error. The log has the details under the id 8f3kq2mz-1a.',
  ),
  503: {
    ...errorAnswer(
      'ServiceUnavailable',
      'The database or another service that the request needs does not answer.',
      'The database does not answer. Try again in a moment.',
    ),
    headers: retryAfter,
  },
} as const satisfies Record<number, ErrorAnswer>

/** The status of an error that an operation may declare. */
export type ErrorStatus = keyof typeof errors

/** Returns the responses that all operations share, for the components of the OpenAPI document. */
function errorComponents(): Record<string, object> {
  const entries = Object.values<ErrorAnswer>(errors).map(({ name, example, ...answer }) => [
    name,
    { ...answer, content: { 'application/json': { schema: errorSchema, example } } },
  ])
  return Object.fromEntries(entries)
}

interface DescribedOperation {
  'x-errors'?: readonly ErrorStatus[]
  responses?: Record<string, unknown>
}

interface Document {
  paths?: Record<string, Record<string, DescribedOperation>>
  components?: { responses?: Record<string, unknown> }
}

/** Adds the error responses to the components, and references to them to every operation. */
export function addErrorResponses<T extends Document>(document: T): T {
  const paths = mapValues(document.paths ?? {}, (operations) => mapValues(operations, addErrors))
  return {
    ...document,
    paths,
    components: { ...document.components, responses: errorComponents() },
  }
}

function addErrors({ 'x-errors': statuses = [], ...operation }: DescribedOperation) {
  const references = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/${errors[status].name}` },
  ])
  return {
    ...operation,
    responses: { ...operation.responses, ...Object.fromEntries(references) },
  }
}

function mapValues<T, U>(values: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
