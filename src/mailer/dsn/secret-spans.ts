import type { DsnNode, SingleDsn, Span } from '../grammar/dsn.ts'
import type { Scheme } from '../providers/provider.ts'
import { findScheme } from '../providers/registry.ts'

/** Option names that hold a secret whatever the scheme; those of a scheme come on top. */
const secretWords = /secret|token|password|key$/i

/** A part of a DSN that may hold a secret; `?` and its name for an option, which may be called password too. */
export type SecretPart = 'user' | 'password' | `?${string}`

/** A place in a DSN that holds a secret. */
export interface SecretSpan {
  readonly part: SecretPart
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
  const spans: SecretSpan[] = []
  if (dsn.user !== undefined && dsn.userSpan && isUserSecret(dsn, scheme))
    spans.push({ part: 'user', span: dsn.userSpan, value: dsn.user })
  if (dsn.password !== undefined && dsn.passwordSpan)
    spans.push({ part: 'password', span: dsn.passwordSpan, value: dsn.password })
  for (const [name, { value, span }] of dsn.options)
    if (value !== '' && (scheme?.secretOptions?.includes(name) || secretWords.test(name)))
      spans.push({ part: `?${name}`, span, value })
  return spans
}

/** The transports of a DSN, from left to right. */
export function leavesOf(node: DsnNode): SingleDsn[] {
  return node.type === 'single' ? [node] : node.members.flatMap(leavesOf)
}
