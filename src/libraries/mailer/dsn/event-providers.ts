import { createHash } from 'node:crypto'
import type { ProviderWebhooks } from '../events/provider-webhooks.ts'
import type { SingleDsn } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { asciiHost, DsnReader } from '../providers/dsn-reader.ts'
import type { Provider } from '../providers/provider.ts'
import { findProvider, findProviderByHost, findScheme, providers } from '../providers/registry.ts'
import { leavesOf } from './secret-spans.ts'

/**
 * A provider of a DSN that tells what happened to messages.
 * @example
 * ```ts
 * const titlesOf = (providers: EventProvider[]) => providers.map(({ title }) => title)
 * ```
 */
export interface EventProvider {
  readonly name: string
  readonly title: string
}

/**
 * Finds how a provider tells what happened to messages; undefined where Mailyard cannot read it.
 * @param name That of its folder, as `sendgrid`.
 * @example
 * ```ts
 * const steps = findProviderWebhooks('sendgrid')?.steps('https://mail.example.com/webhooks/transports/1/SECRET')
 * ```
 */
export function findProviderWebhooks(name: string): ProviderWebhooks | undefined {
  return findProvider(name)?.webhooks
}

/**
 * Finds the providers of a DSN, and of each member of a list, that tell what happened to messages: each once, in the
 * order of the DSN.
 * @throws {DsnError}
 * @example
 * ```ts
 * eventProvidersOf('smtp://apikey:KEY@smtp.sendgrid.net').map(({ title }) => title) // ['SendGrid']
 * ```
 */
export function eventProvidersOf(dsn: string): EventProvider[] {
  const found = new Map<string, EventProvider>()
  for (const leaf of leavesOf(readDsn(dsn))) {
    const provider = providerOf(leaf)
    for (const known of provider === 'unknown' ? [] : listed(provider)) found.set(known.name, known)
  }
  return [...found.values()]
}

/**
 * Lists the providers that may stand behind a server of a DSN that is not known, and tell what happened to messages: a
 * relay host or the mail command may send through any of them, and some run on servers of one's own. None if each server
 * of the DSN is known.
 * @throws {DsnError}
 * @example
 * ```ts
 * const isRelay = (dsn: string) => possibleProvidersOf(dsn).length > 0
 * isRelay('smtp://relay.example.com') // true
 * ```
 */
export function possibleProvidersOf(dsn: string): EventProvider[] {
  const isUnknown = leavesOf(readDsn(dsn)).some((leaf) => providerOf(leaf) === 'unknown')
  return isUnknown ? providers.flatMap(listed) : []
}

function listed(provider: Provider | undefined): EventProvider[] {
  return provider?.webhooks === undefined ? [] : [{ name: provider.name, title: provider.title }]
}

/** `unknown`: any provider may stand behind it; undefined: none does. */
function providerOf({ scheme, host }: SingleDsn): Provider | 'unknown' | undefined {
  const registered = findScheme(scheme)
  if (registered === undefined || registered.provider !== undefined) return registered?.provider
  const { kind } = registered.scheme
  if (kind === 'smtp') return findProviderByHost(asciiHost(host)) ?? 'unknown'
  return kind === 'command' ? 'unknown' : undefined
}

/**
 * Returns a text for each provider account that a DSN, or a member of a list, sends through: the provider and a digest
 * of its key or password. Two DSNs share an account if they have one of these in common.
 * @throws {DsnError}
 * @example
 * ```ts
 * const [api] = accountsOf('sendgrid+api://KEY@default')
 * accountsOf('smtp://apikey:KEY@smtp.sendgrid.net').includes(api) // true
 * ```
 */
export function accountsOf(dsn: string): string[] {
  const accounts = new Set<string>()
  for (const leaf of leavesOf(readDsn(dsn))) {
    const provider = providerOf(leaf)
    if (provider === 'unknown' || provider?.webhooks === undefined) continue
    const reader = new DsnReader(leaf, [])
    for (const secret of provider.accountSecrets?.(reader) ?? defaultSecrets(leaf))
      accounts.add(`${provider.name} ${createHash('sha256').update(secret).digest('hex')}`)
  }
  return [...accounts]
}

function defaultSecrets({ user, password }: SingleDsn): string[] {
  const secret = password ?? user
  return secret === undefined ? [] : [secret]
}
