import type { DsnNode, DsnPair, SingleDsn, Span } from '../grammar/dsn.ts'
import type { Scheme } from '../providers/provider.ts'
import { findScheme } from '../providers/registry.ts'

/**
 * A part of a DSN that may hold a secret. An option is `?` and its name, because an option may be named `password`.
 * `name` is an option without a value.
 */
export type SecretPart = 'user' | 'password' | 'path' | 'fragment' | 'name' | `?${string}`

/** The position of a secret in a DSN. Unknown options count as secret. */
export interface SecretSpan {
  readonly part: SecretPart
  /** Counts the parts with the same name, from 0. */
  readonly occurrence: number
  readonly span: Span
  /** Decoded. */
  readonly value: string
}

/** Whether the user part is secret: unless the scheme is known to show it, and if the user equals the password. */
export function isUserSecret({ user, password }: SingleDsn, scheme: Scheme | undefined): boolean {
  return scheme?.isUserSecret !== false || (user !== undefined && user === password)
}

/** Finds the secrets of one transport, in the order of the text. Empty parts are skipped. */
export function secretSpans(dsn: SingleDsn): SecretSpan[] {
  const scheme = findScheme(dsn.scheme)?.scheme
  const { user, password, userSpan, passwordSpan, pathSpan, fragmentSpan } = dsn
  const spans: SecretSpan[] = []
  const nextOccurrence = createOccurrences()
  const add = (part: SecretPart, span: Span, value = '') => {
    if (span.end > span.start) spans.push({ part, occurrence: nextOccurrence(part), span, value })
  }
  if (user !== undefined && userSpan && isUserSecret(dsn, scheme)) add('user', userSpan, user)
  if (password !== undefined && passwordSpan) add('password', passwordSpan, password)
  add('path', pathSpan)
  for (const pair of dsn.pairs) {
    if (isPublic(pair, scheme)) continue
    add(partOf(pair), pair.hasValue ? pair.span : pair.nameSpan, pair.value)
  }
  add('fragment', fragmentSpan)
  return spans
}

/** Creates a counter of the parts with the same name, from 0. */
export function createOccurrences(): (part: SecretPart) => number {
  const counts = new Map<SecretPart, number>()
  return (part) => {
    const count = counts.get(part) ?? 0
    counts.set(part, count + 1)
    return count
  }
}

/** Returns the part name of an option. */
export function partOf({ name, hasValue }: DsnPair): SecretPart {
  return hasValue ? `?${name}` : 'name'
}

/** Whether an option may be shown. */
function isPublic({ name }: DsnPair, scheme: Scheme | undefined): boolean {
  const known = [...(scheme?.publicOptions ?? []), 'max_per_second']
  return known.includes(name) || known.includes(name.replace(/\[[^[\]]*\]$/, ''))
}

/** Returns the single transports of a DSN, from left to right. */
export function leavesOf(node: DsnNode): SingleDsn[] {
  return node.type === 'single' ? [node] : node.members.flatMap(leavesOf)
}
