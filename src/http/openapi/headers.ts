import type { TSchema } from 'typebox'

/** Headers of answers, as the description shows them. */
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
    description: 'How many entries all pages have together.',
    examples: [1],
  },
} as const

/** Declares the headers that an answer of this schema has. */
export function withHeaders<T extends TSchema>(
  schema: T,
  ...names: readonly (keyof typeof headers)[]
): T {
  const chosen = Object.fromEntries(names.map((name) => [name, headers[name]]))
  return { ...schema, headers: chosen }
}
