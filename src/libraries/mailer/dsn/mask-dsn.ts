import { DsnError, type DsnNode, labelOf, type SingleDsn } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { secretMask } from '../secret.ts'
import { leavesOf, partsOf, type SecretPart, type SecretSpan, secretSpans } from './secret-spans.ts'

/**
 * Replaces every secret of a DSN by `********`: passwords, keys in the user part, secret options. Everything else stays
 * byte for byte. For a text that is not a DSN, at most the scheme is shown.
 * @example
 * ```ts
 * maskDsn('smtp://shop:hunter2@mail.example.com:587') // smtp://shop:********@mail.example.com:587
 * ```
 */
export function maskDsn(text: string): string {
  const node = tryRead(text)
  if (node === undefined) return `${schemeOf(text)}${secretMask}`
  let masked = ''
  let from = 0
  for (const leaf of leavesOf(node))
    for (const { span } of secretSpans(leaf)) {
      masked += text.slice(from, span.start) + secretMask
      from = span.end
    }
  return masked + text.slice(from)
}

/**
 * Returns scheme, host and port of a DSN: safe for logs. A list shows its members. For a text that is not a DSN, at
 * most the scheme is shown.
 * @example
 * ```ts
 * describeDsn('smtp://shop:hunter2@mail.example.com:587') // smtp://mail.example.com:587
 * ```
 */
export function describeDsn(text: string): string {
  const node = tryRead(text)
  return node === undefined ? `${schemeOf(text)}…` : labelOf(node)
}

function tryRead(text: string): DsnNode | undefined {
  try {
    return readDsn(text)
  } catch {
    return undefined
  }
}

function schemeOf(text: string): string {
  return /^[a-z0-9+.-]{1,32}:\/\//.exec(text)?.[0] ?? ''
}

/**
 * Replaces every `********` of a masked DSN by the secret of the stored DSN. A member of a list takes the secrets of the
 * stored member with the same scheme, user, host and port, otherwise of the member in the same position.
 * @throws {DsnError} when nothing stored fits a mask, or when one of the texts is not a DSN.
 * @example
 * ```ts
 * const stored = 'smtp://shop:hunter2@mail.example.com:587'
 * unmaskDsn('smtp://shop:********@mail.example.com:2525', stored) // smtp://shop:hunter2@mail.example.com:2525
 * ```
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
    // A mask is filled in even if the scheme does not treat the part as secret.
    for (const { span, ...place } of partsOf(leaf)) {
      if (masked.slice(span.start, span.end) !== secretMask) continue
      const secret = secretOf(secrets, place)
      filled += masked.slice(from, span.start) + secret
      from = span.end
    }
  })
  return filled + masked.slice(from)
}

function matchLeaves(
  leaves: readonly SingleDsn[],
  stored: readonly SingleDsn[],
): (SingleDsn | undefined)[] {
  const free = new Set(stored)
  const matches = leaves.map((leaf, index) => {
    // The member in the same position comes first, so that two equal members keep their own secrets.
    const place = stored[index]
    const match =
      place !== undefined && free.has(place) && isSameServer(leaf, place)
        ? place
        : [...free].find((other) => isSameServer(leaf, other))
    if (match !== undefined) free.delete(match)
    return match
  })
  return matches.map((match, index) => {
    const place = stored[index]
    return match ?? (place !== undefined && free.has(place) ? place : undefined)
  })
}

function isSameServer(masked: SingleDsn, stored: SingleDsn): boolean {
  return (
    masked.scheme === stored.scheme &&
    masked.host === stored.host &&
    masked.port === stored.port &&
    (masked.user === secretMask || masked.user === stored.user)
  )
}

type SecretPlace = Pick<SecretSpan, 'part' | 'occurrence'>

/** Maps the places of a stored transport's secrets to their raw text. */
function storedSecrets(source: SingleDsn | undefined, stored: string): Map<string, string> {
  const secrets = source === undefined ? [] : secretSpans(source)
  return new Map(
    secrets.map(({ span, ...place }) => [
      secretPlaceKey(place),
      stored.slice(span.start, span.end),
    ]),
  )
}

function secretPlaceKey({ part, occurrence }: SecretPlace): string {
  return `${occurrence} ${part}`
}

function secretOf(secrets: ReadonlyMap<string, string>, place: SecretPlace): string {
  const secret = secrets.get(secretPlaceKey(place))
  if (secret !== undefined) return secret
  throw new DsnError(
    'unfilled_mask',
    `The DSN holds ${secretMask} in place of ${nameOf(place.part)}, and no stored secret fits; write it out.`,
  )
}

function nameOf(part: SecretPart): string {
  if (part.startsWith('?')) return `the option ${part.slice(1)}`
  if (part === 'user') return 'the key in the user part'
  return part === 'name' ? 'an option' : `the ${part}`
}
