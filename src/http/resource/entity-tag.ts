import type { FastifyRequest } from 'fastify'
import { AppError } from '../../kit/app-error.ts'

/** The entity tag of a revision: `"5"` (RFC 9110, section 8.8.3). */
export function entityTag(revision: number): string {
  return `"${revision}"`
}

/** The revision that `If-Match` asks for; undefined where there is none, or any will do. */
export function readIfMatch(request: FastifyRequest): number | undefined {
  const header = request.headers['if-match']
  if (header === undefined || header.trim() === '*') return undefined
  const revision = /^(?:W\/)?"(\d{1,15})"$/.exec(header.trim())?.[1]
  if (revision !== undefined) return Number(revision)
  const message = 'If-Match must be the ETag that the entry was read with, such as "5".'
  throw new AppError('invalid', 'if_match_malformed', message)
}
