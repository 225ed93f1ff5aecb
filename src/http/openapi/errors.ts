import Type from 'typebox'

/** The one shape of every error of the API. */
export const errorSchema = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'What is wrong and what to do, in one sentence.' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Every fault of the request, by field.',
      }),
    ),
  },
  {
    title: 'Error',
    // Some have more, such as line and column.
    additionalProperties: true,
  },
)

interface ErrorAnswer {
  description: string
  example: { success: false; error: string; details?: Record<string, string[]> }
  headers?: Record<string, object>
}

const refused = (description: string, error: string): ErrorAnswer => ({
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

/** Every error that an operation may declare, by status. */
const errors = {
  400: {
    ...refused('The request has faults. `details` lists them.', 'name is required.'),
    example: {
      success: false,
      error: 'name is required.',
      details: { name: ['is required'] },
    },
  },
  401: {
    ...refused(
      'Authentication required.',
      'Authentication required. Use HTTP Basic, or a bearer token of OAuth 2.0.',
    ),
    headers: {
      'WWW-Authenticate': header(
        'How to log in. It is left out where a browser asks.',
        { type: 'string' },
        'Bearer realm="Mailyard"',
      ),
    },
  },
  403: refused(
    'The caller lacks a permission, the API or HTTP Basic is disabled, or the request comes from another site.',
    'You need the permission multipleTransports:edit for this.',
  ),
  404: refused('No record has this id.', 'Transport not found: there is none with the id 12.'),
  409: refused(
    'The record is in another state than the request expects, or changed since it was read.',
    'The transport was changed since you read it. Read it again and repeat the change.',
  ),
  413: refused('The body is too large.', 'The body is too large: the limit is 16 MiB.'),
  415: refused(
    'The content type of the body is not supported.',
    'Send the body as application/json.',
  ),
  429: {
    ...refused('Too many failed log-ins.', 'Too many failed log-ins. Try again in 30 seconds.'),
    headers: retryAfter,
  },
  500: refused(
    'A fault of Mailyard. The log has the details under the id.',
    'Something went wrong on our side. The log says what, under the id 8f3kq2mz-1a.',
  ),
  503: {
    ...refused(
      'The database or another service that the request needs does not answer.',
      'The database does not answer. Try again in a moment.',
    ),
    headers: retryAfter,
  },
} as const satisfies Record<number, ErrorAnswer>

/** The status of an error that an operation may declare. */
export type ErrorStatus = keyof typeof errors

/** What the description calls each of them. */
const names: Record<ErrorStatus, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
}

/** Points an operation to the answer that all operations share. */
export function errorReference(status: ErrorStatus): { $ref: string } {
  return { $ref: `#/components/responses/${names[status]}` }
}

/** The answers that all operations share, for the components of the description. */
export function errorComponents(): Record<string, object> {
  const entries = Object.entries(errors as Record<string, ErrorAnswer>)
  return Object.fromEntries(
    entries.map(([status, { example, ...answer }]) => [
      names[Number(status) as ErrorStatus],
      { ...answer, content: { 'application/json': { schema: errorSchema, example } } },
    ]),
  )
}
