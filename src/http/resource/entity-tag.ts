import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { AppError } from '../../kit/app-error.ts'

/** The header of what changes a record only where nobody else has. */
export const ifMatchHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'The `ETag` that it was read with, such as `"5"`, or several, separated by commas: 409 where it ' +
        'is at none of them any more. `*` is any.',
    }),
  ),
})

/** The entity tag of a revision: `"5"` (RFC 9110, section 8.8.3). */
export function entityTag(revision: number): string {
  return `"${revision}"`
}

/**
 * The revisions that `If-Match` names (RFC 9110, section 13.1.1); undefined where there is none, or any will
 * do. Throws an AppError (`invalid`) where it is anything else.
 */
export function readIfMatch(request: Pick<FastifyRequest, 'headers'>): number[] | undefined {
  const header = request.headers['if-match']
  if (header === undefined || header.trim() === '*') return undefined
  // A list may have empty places (RFC 9110, section 5.6.1).
  const tags = header.split(',').flatMap((each) => each.trim() || [])
  const revisions = tags.map((tag) => /^(?:W\/)?"(\d{1,15})"$/.exec(tag)?.[1])
  if (tags.length === 0 || revisions.includes(undefined)) throw malformed()
  return revisions.map(Number)
}

function malformed(): AppError {
  const message =
    'If-Match must be the ETag that the entry was read with, such as "5", or several, separated by commas.'
  return new AppError('invalid', 'if_match_malformed', message)
}
