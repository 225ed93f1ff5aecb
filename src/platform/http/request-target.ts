import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import { text } from './schema-parts.ts'

/** The schema of an id in a path. Text that is no number is malformed (400); a number that no record has is unknown (404). */
export const idParameter = (description: string, example = 1) =>
  Type.String({
    pattern: '^[0-9]+$',
    fault: 'must be a whole number',
    description,
    examples: [String(example)],
  })

/** The path parameters of one record. */
export const idParameters = Type.Object({ id: idParameter('The id.') })

/** Reads an id that `idParameter` accepted. No record has an id above `Number.MAX_SAFE_INTEGER`. */
export function readId(text: string): number {
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

/** The header of a change that is refused where the record has changed since the caller read it. */
export const ifMatchHeaders = Type.Object({
  'if-match': text(
    'The `ETag` of the record when you read it, such as `"5"`, or several, separated by commas. The answer is 409 ' +
      'where the record has none of them any more. `*` matches any.',
  ),
})

/** The entity tag of a revision: `"5"` (RFC 9110, section 8.8.3). */
export function entityTag(revision: number): string {
  return `"${revision}"`
}

/** Many more entity tags than a client has of one record. */
const ifMatchLengthMax = 4_000

/**
 * Reads the revisions of `If-Match` (RFC 9110, section 13.1.1).
 *
 * @returns undefined where the header is missing or `*`.
 * @throws AppError (`invalid`) for a malformed header, or one of many tags.
 */
export function readIfMatch(request: Pick<FastifyRequest, 'headers'>): number[] | undefined {
  const header = request.headers['if-match']
  if (header === undefined || header.trim() === '*') return undefined
  if (header.length > ifMatchLengthMax) throw malformed()
  // A list may have empty places (RFC 9110, section 5.6.1).
  const tags = header.split(',').flatMap((each) => each.trim() || [])
  const revisions = tags.map((tag) => /^(?:W\/)?"(\d{1,15})"$/.exec(tag)?.[1])
  if (tags.length === 0 || revisions.includes(undefined)) throw malformed()
  return revisions.map(Number)
}

function malformed(): AppError {
  const message =
    'If-Match must be the ETag of the record when you read it, such as "5", or several, separated by commas, in 4,000 characters or fewer.'
  return new AppError('invalid', 'if_match_malformed', message)
}
