import type { DsnNode, SingleDsn, Span } from '../grammar/dsn.ts'
import type { Scheme } from '../providers/provider.ts'
import { findScheme } from '../providers/registry.ts'

/**
 * A part of a DSN that may hold a secret. An option is `?` and its name, because an option may be named `password`.
 * `name` is an option without a value.
 */
export type SecretPart = 'user' | 'password' | 'path' | 'fragment' | 'name' | `?${string}`

/** The position of a part in a DSN. */
export interface SecretSpan {
  readonly part: SecretPart
  /** Counts the parts with the same name, from 0. */
  readonly occurrence: number
  readonly span: Span
  /** Decoded. */
  readonly value: string
  /** Unknown options count as secret. */
  readonly isSecret: boolean
}

/** Whether the user part is secret: unless the scheme is known to show it, and if the user equals the password. */
export function isUserSecret({ user, password }: SingleDsn, scheme: Scheme | undefined): boolean {
  return scheme?.isUserSecret !== false || (user !== undefined && user === password)
}

/** Finds the secrets of one transport, in the order of the text. Empty parts are skipped. */
export function secretSpans(dsn: SingleDsn): SecretSpan[] {
  return partsOf(dsn).filter(({ isSecret, span }) => isSecret && span.end > span.start)
}

/** Lists the parts of one transport that may hold a secret, in the order of the text. */
export function partsOf(dsn: SingleDsn): SecretSpan[] {
  const scheme = findScheme(dsn.scheme)?.scheme
  const shown = new Set([...(scheme?.publicOptions ?? []), 'max_per_second'])
  const parts: SecretSpan[] = []
  const counts = new Map<SecretPart, number>()
  const add = (part: SecretPart, span: Span | undefined, value = '', isSecret = true) => {
    if (span === undefined) return
    const occurrence = counts.get(part) ?? 0
    counts.set(part, occurrence + 1)
    parts.push({ part, occurrence, span, value, isSecret })
  }
  add('user', dsn.userSpan, dsn.user, isUserSecret(dsn, scheme))
  add('password', dsn.passwordSpan, dsn.password)
  add('path', dsn.pathSpan)
  for (const { name, hasValue, nameSpan, value, span } of dsn.pairs) {
    const isSecret = !shown.has(name) && !shown.has(name.replace(/\[[^[\]]*\]$/, ''))
    add(hasValue ? `?${name}` : 'name', hasValue ? span : nameSpan, value, isSecret)
  }
  add('fragment', dsn.fragmentSpan)
  return parts
}

/** Returns the single transports of a DSN, from left to right. */
export function leavesOf(node: DsnNode): SingleDsn[] {
  return node.type === 'single' ? [node] : node.members.flatMap(leavesOf)
}
