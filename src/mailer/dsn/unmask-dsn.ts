import type { SingleDsn, Span } from '../grammar/dsn.ts'
import { DsnError } from '../grammar/dsn-error.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { secretMask } from '../secret.ts'
import {
  createOccurrences,
  leavesOf,
  partOf,
  type SecretPart,
  type SecretSpan,
  secretSpans,
} from './secret-spans.ts'

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
    const secrets = storedSecrets(sources[index], stored)
    for (const { span, ...place } of masksOf(leaf, masked)) {
      const secret = secretOf(secrets, place)
      filled += masked.slice(from, span.start) + secret
      from = span.end
    }
  })
  return filled + masked.slice(from)
}

type Mask = Omit<SecretSpan, 'value'>

/** The masks of one transport. Any part that reads as the mask is one, whatever its scheme keeps secret. */
function masksOf(leaf: SingleDsn, text: string): Mask[] {
  const { userSpan, passwordSpan, pathSpan, fragmentSpan, pairs } = leaf
  const parts: Mask[] = []
  const nextOccurrence = createOccurrences()
  const add = (part: SecretPart, span: Span | undefined) => {
    if (span !== undefined) parts.push({ part, occurrence: nextOccurrence(part), span })
  }
  add('user', userSpan)
  add('password', passwordSpan)
  add('path', pathSpan)
  for (const pair of pairs) add(partOf(pair), pair.hasValue ? pair.span : pair.nameSpan)
  add('fragment', fragmentSpan)
  return parts.filter(({ span }) => text.slice(span.start, span.end) === secretMask)
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

type SecretPlace = Pick<SecretSpan, 'part' | 'occurrence'>

/** The secrets of one stored transport as they are written, by their place. */
function storedSecrets(source: SingleDsn | undefined, stored: string): Map<string, string> {
  const secrets = source === undefined ? [] : secretSpans(source)
  return new Map(
    secrets.map(({ span, ...place }) => [keyOf(place), stored.slice(span.start, span.end)]),
  )
}

function keyOf({ part, occurrence }: SecretPlace): string {
  return `${occurrence} ${part}`
}

function secretOf(secrets: ReadonlyMap<string, string>, place: SecretPlace): string {
  const secret = secrets.get(keyOf(place))
  if (secret !== undefined) return secret
  throw new DsnError(
    'unfilled_mask',
    `The DSN holds ${secretMask} where ${nameOf(place.part)} belongs, and nothing is stored to put there; write it out.`,
  )
}

function nameOf(part: SecretPart): string {
  if (part.startsWith('?')) return `the option ${part.slice(1)}`
  if (part === 'user') return 'the key in the user part'
  return part === 'name' ? 'an option' : `the ${part}`
}
