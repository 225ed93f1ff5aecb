import type { DsnNode, DsnPair, SingleDsn, Span } from '../grammar/dsn.ts'
import type { Scheme } from '../providers/provider.ts'
import { findScheme } from '../providers/registry.ts'

/**
 * A part of a DSN that may hold a secret; `?` and its name for an option, which may be called password too.
 * `name` is an option that is nothing but a name.
 */
export type SecretPart = 'user' | 'password' | 'path' | 'fragment' | 'name' | `?${string}`

/** A place in a DSN that holds a secret, or what is not known to be none. */
export interface SecretSpan {
  readonly part: SecretPart
  /** Which of several of the same name: 0 for the first. */
  readonly occurrence: number
  readonly span: Span
  /** Decoded. */
  readonly value: string
}

/** Whether the user part is a key: so it is where the scheme says so, is unknown, or repeats the password. */
export function isUserSecret({ user, password }: SingleDsn, scheme: Scheme | undefined): boolean {
  return scheme === undefined || scheme.isUserSecret || (user !== undefined && user === password)
}

/** Where the secrets of one transport stand, in the order of the text; empty parts are none. */
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

/** Numbers the parts of the same name, from 0. */
export function createOccurrences(): (part: SecretPart) => number {
  const counts = new Map<SecretPart, number>()
  return (part) => {
    const count = counts.get(part) ?? 0
    counts.set(part, count + 1)
    return count
  }
}

/** What an option is to `secretSpans`. */
export function partOf({ name, hasValue }: DsnPair): SecretPart {
  return hasValue ? `?${name}` : 'name'
}

/** Whether an option may be shown: where the scheme says so. */
function isPublic({ name }: DsnPair, scheme: Scheme | undefined): boolean {
  const known = [...(scheme?.publicOptions ?? []), 'max_per_second']
  return known.includes(name) || known.includes(name.replace(/\[[^[\]]*\]$/, ''))
}

/** The transports of a DSN, from left to right. */
export function leavesOf(node: DsnNode): SingleDsn[] {
  return node.type === 'single' ? [node] : node.members.flatMap(leavesOf)
}
