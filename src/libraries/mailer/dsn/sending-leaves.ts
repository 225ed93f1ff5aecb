import type { ProviderDomains } from '../domains/provider-domains.ts'
import { labelOf, type SingleDsn } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { DsnReader } from '../providers/dsn-reader.ts'
import { findProvider } from '../providers/registry.ts'
import { parseDsn } from './parse-dsn.ts'
import { type ParsedDsn, type ParsedSingleDsn, serverOf } from './parsed-dsn.ts'
import { leavesOf } from './secret-spans.ts'

/**
 * One transport of a DSN, and what is known about the signatures and the envelope sender of its messages.
 * @example
 * ```ts
 * const canBeSigned = ({ isPlain, signsDkim }: SendingLeaf) => isPlain && signsDkim
 * ```
 */
export interface SendingLeaf {
  /** Scheme, host and port, as `describeDsn` names a transport. */
  readonly label: string
  /** `null` is also the sandbox of a provider, which delivers nothing. */
  readonly kind: 'smtp' | 'api' | 'null' | 'inbox' | 'command'
  /** The provider's name as it writes it. */
  readonly title: string | null
  /** The host that it connects to; null when there is no connection. */
  readonly host: string | null
  /**
   * Whether the transport is a server of no known provider, or a command. Every known provider may change a message,
   * and so break a signature.
   */
  readonly isPlain: boolean
  /** Whether Mailyard may sign messages for it: over SMTP, unless the DSN has `dkim=off`. */
  readonly signsDkim: boolean
  /** Whether its envelope sender is that of `SendOptions.returnPath`: over SMTP or by a command, with `return_path=on`. */
  readonly hasReturnPath: boolean
  /**
   * The domain that the account of the DSN signs for and that its envelope senders have, whatever the From domain is:
   * that of a Mailgun DSN. It may be signed for by its parent domain instead. Null: it follows from the From domain.
   */
  readonly accountDomain: string | null
  /** What is known about the provider; null without one. */
  readonly domains: ProviderDomains | null
}

/**
 * Lists the transports of a DSN, from left to right, with what is known about the signatures of each.
 * @throws {DsnError}
 * @example
 * ```ts
 * const [leaf] = listSendingLeaves('sendgrid+api://KEY@default')
 * console.log(leaf?.domains?.selectors?.map(({ name }) => name)) // ['s1', 's2']
 * ```
 */
export function listSendingLeaves(dsn: string): SendingLeaf[] {
  const leaves = leavesOf(readDsn(dsn))
  const parsed = singlesOf(parseDsn(dsn, { hasCommand: true, hasInbox: true }))
  return leaves.flatMap((leaf, index) => {
    const single = parsed[index]
    return single === undefined ? [] : [describeLeaf(leaf, single)]
  })
}

function singlesOf(parsed: ParsedDsn): ParsedSingleDsn[] {
  return 'members' in parsed ? parsed.members.flatMap(singlesOf) : [parsed]
}

function describeLeaf(leaf: SingleDsn, parsed: ParsedSingleDsn): SendingLeaf {
  const provider = findProvider(parsed.provider ?? '')
  const reader = new DsnReader(leaf, [])
  const isSandbox = provider?.isSandbox?.(reader) ?? false
  return {
    label: labelOf(leaf),
    kind: isSandbox ? 'null' : parsed.kind,
    title: provider?.title ?? null,
    host: serverOf(parsed)?.host ?? null,
    isPlain: provider === undefined && (parsed.kind === 'smtp' || parsed.kind === 'command'),
    signsDkim: parsed.kind === 'smtp' && parsed.settings.signsDkim,
    hasReturnPath: hasReturnPath(parsed),
    accountDomain: provider?.accountDomain?.(reader) ?? null,
    domains: provider?.domains ?? null,
  }
}

function hasReturnPath(parsed: ParsedSingleDsn): boolean {
  if (parsed.kind === 'api') return false
  return parsed.kind === 'smtp' ? parsed.settings.hasReturnPath : parsed.hasReturnPath
}
