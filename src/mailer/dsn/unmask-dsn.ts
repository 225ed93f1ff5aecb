import type { SingleDsn, Span } from '../grammar/dsn.ts'
import { DsnError } from '../grammar/dsn-error.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { secretMask } from '../secret.ts'
import { leavesOf, type SecretPart, type SecretSpan, secretSpans } from './secret-spans.ts'

/**
 * Fills every `********` of a DSN that was shown masked with the secret of the stored one. In a list a
 * member takes the secrets of the stored member with the same scheme, user, host and port, or else
 * of the one in its place. Throws DsnError for a mask that nothing fills, and for what is no DSN.
 */
export function unmaskDsn(masked: string, stored: string): string {
  if (!masked.includes(secretMask)) return masked
  const storedLeaves = leavesOf(readDsn(stored))
  const leaves = leavesOf(readDsn(masked))
  const sources = matchLeaves(leaves, storedLeaves)
  let filled = ''
  let from = 0
  leaves.forEach((leaf, index) => {
    for (const { part, span } of masksOf(leaf, masked)) {
      const secret = secretOf(sources[index], part, stored)
      filled += masked.slice(from, span.start) + secret
      from = span.end
    }
  })
  return filled + masked.slice(from)
}

/** The masks of one transport. Any part that reads as the mask is one, whatever its scheme keeps secret. */
function masksOf(leaf: SingleDsn, text: string): Omit<SecretSpan, 'value'>[] {
  const parts: Omit<SecretSpan, 'value'>[] = []
  if (leaf.userSpan) parts.push({ part: 'user', span: leaf.userSpan })
  if (leaf.passwordSpan) parts.push({ part: 'password', span: leaf.passwordSpan })
  for (const [name, { span }] of leaf.options) parts.push({ part: `?${name}`, span })
  return parts
    .filter(({ span }) => text.slice(span.start, span.end) === secretMask)
    .sort((a, b) => a.span.start - b.span.start)
}

function matchLeaves(
  leaves: readonly SingleDsn[],
  stored: readonly SingleDsn[],
): (SingleDsn | undefined)[] {
  const free = new Set(stored)
  const matched = leaves.map((leaf, index) => {
    // The one in its place first, so that two members alike keep their own secrets.
    const place = stored[index]
    const found =
      place !== undefined && free.has(place) && isSameDoor(leaf, place)
        ? place
        : [...free].find((other) => isSameDoor(leaf, other))
    if (found !== undefined) free.delete(found)
    return found
  })
  return matched.map((found, index) => {
    const place = stored[index]
    return found ?? (place !== undefined && free.has(place) ? place : undefined)
  })
}

function isSameDoor(masked: SingleDsn, stored: SingleDsn): boolean {
  return (
    masked.scheme === stored.scheme &&
    masked.host === stored.host &&
    masked.port === stored.port &&
    (masked.user === secretMask || masked.user === stored.user)
  )
}

function secretOf(source: SingleDsn | undefined, part: SecretPart, stored: string): string {
  const span = source === undefined ? undefined : spanOf(source, part)
  if (span !== undefined) return stored.slice(span.start, span.end)
  throw new DsnError(
    'unfilled_mask',
    `The DSN holds ${secretMask} where ${nameOf(part)} belongs, and nothing is stored to put there; write it out.`,
  )
}

function spanOf(source: SingleDsn, part: SecretPart): Span | undefined {
  return secretSpans(source).find((secret) => secret.part === part)?.span
}

function nameOf(part: SecretPart): string {
  if (part === 'user') return 'the key in the user part'
  return part === 'password' ? 'the password' : `the option ${part.slice(1)}`
}
