import type {
  AskDomainOptions,
  ProviderDomainState,
  ProviderDomains,
} from '../domains/provider-domains.ts'
import { DsnError, labelOf, type SingleDsn } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { DsnReader } from '../providers/dsn-reader.ts'
import type { Provider } from '../providers/provider.ts'
import { findProvider } from '../providers/registry.ts'
import { parseDsn } from './parse-dsn.ts'
import type { ParsedDsn, ParsedSingleDsn } from './parsed-dsn.ts'
import { leavesOf } from './secret-spans.ts'

/**
 * One transport of a DSN, and what is known about the signatures and the envelope sender of its messages.
 * @example
 * ```ts
 * const canBeSigned = ({ isPlain, signsDkim }: SendingLeaf) => isPlain && signsDkim
 * ```
 */
export interface SendingLeaf {
  /** The DSN of this transport alone, with its secrets. */
  readonly dsn: string
  /** Scheme, host and port, as `describeDsn` names a transport. */
  readonly label: string
  /** As written, including aliases. */
  readonly scheme: string
  /** `null` is also the sandbox of a provider, which delivers nothing. */
  readonly kind: 'smtp' | 'api' | 'null' | 'inbox' | 'command'
  /** The name of the provider's folder; null for any other server. */
  readonly provider: string | null
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
 * console.log(leaf?.domains?.selectors.map(({ name }) => name)) // ['s1', 's2']
 * ```
 */
export function listSendingLeaves(dsn: string): SendingLeaf[] {
  const leaves = leavesOf(readDsn(dsn))
  const parsed = singlesOf(parseDsn(dsn, { hasCommand: true, hasInbox: true }))
  return leaves.flatMap((leaf, index) => {
    const single = parsed[index]
    return single === undefined ? [] : [describeLeaf(leaf, single, dsn)]
  })
}

function singlesOf(parsed: ParsedDsn): ParsedSingleDsn[] {
  return 'members' in parsed ? parsed.members.flatMap(singlesOf) : [parsed]
}

function describeLeaf(leaf: SingleDsn, parsed: ParsedSingleDsn, dsn: string): SendingLeaf {
  const provider = findProvider(parsed.provider ?? '')
  const reader = new DsnReader(leaf, [])
  const isSandbox = provider?.isSandbox?.(reader) ?? false
  return {
    dsn: dsn.slice(leaf.span.start, leaf.span.end),
    label: labelOf(leaf),
    scheme: leaf.scheme,
    kind: isSandbox ? 'null' : parsed.kind,
    provider: parsed.provider,
    title: provider?.title ?? null,
    host: hostOf(parsed),
    isPlain: provider === undefined && (parsed.kind === 'smtp' || parsed.kind === 'command'),
    signsDkim: parsed.kind === 'smtp' && parsed.settings.signsDkim,
    accountDomain: provider?.accountDomain?.(reader) ?? null,
    domains: provider?.domains ?? null,
  }
}

function hostOf(parsed: ParsedSingleDsn): string | null {
  if (parsed.kind === 'smtp') return parsed.settings.host
  if (parsed.kind !== 'api') return null
  return new URL(parsed.adapter.endpoint).hostname.replace(/^\[(.*)\]$/, '$1')
}

/**
 * Asks the provider of a DSN about the state of a domain, with the credential of the DSN. It does not throw: a provider
 * that cannot be asked, or does not answer, is the state `unknown`.
 * @param dsn One transport: `dsn` of a `SendingLeaf`.
 * @param domain ASCII, in lower case.
 * @example
 * ```ts
 * const state = await askDomain('resend+api://KEY@default', 'example.com', { fetch })
 * if (state.state === 'verified') console.log(state.signingDomain) // example.com
 * ```
 */
export async function askDomain(
  dsn: string,
  domain: string,
  { fetch, signal, now }: AskDomainOptions,
): Promise<ProviderDomainState> {
  const provider = providerOf(dsn)
  if (provider === undefined)
    return { state: 'unknown', problem: 'The transport is not one of a known provider.' }
  if (provider.domains?.ask === undefined)
    return { state: 'unknown', problem: `Mailyard cannot ask ${provider.title} about a domain.` }
  return provider.domains.ask({ dsn, domain, fetch, signal, now })
}

function providerOf(dsn: string): Provider | undefined {
  try {
    const [leaf, other] = listSendingLeaves(dsn)
    return other === undefined ? findProvider(leaf?.provider ?? '') : undefined
  } catch (error) {
    if (error instanceof DsnError) return undefined
    throw error
  }
}
