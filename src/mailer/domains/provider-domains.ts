/**
 * A DNS record to publish.
 * @example
 * ```ts
 * const zoneLine = ({ name, type, value }: DomainRecord) => `${name}. 3600 IN ${type} ${value}`
 * ```
 */
export interface DomainRecord {
  readonly type: 'TXT' | 'CNAME' | 'MX'
  /** The whole name, without a dot at the end: `s1._domainkey.example.com`. */
  readonly name: string
  /** An MX has its preference first: `10 mail.example.com`. Empty where the API does not tell the key. */
  readonly value: string
  /** Whether the provider found it; left out where that is not known. */
  readonly isFound?: boolean
}

/**
 * Where the key is looked up that a provider signs with.
 * @example
 * ```ts
 * const selector: ProviderSelector = { name: 's1', target: /^s1\.domainkey\.u\d+\.wl\d+\.sendgrid\.net$/i }
 * ```
 */
export interface ProviderSelector {
  /** The key is at `{name}._domainkey.{domain}`. */
  readonly name: string
  /** What the CNAME there leads to, without a dot at the end. Undefined: a TXT record with the key. */
  readonly target?: RegExp
}

/**
 * A record that shows a custom envelope domain.
 * @example
 * ```ts
 * const record: ReturnPathRecord = { name: 'pm-bounces', type: 'CNAME', target: /^pm\.mtasv\.net$/i }
 * ```
 */
export interface ReturnPathRecord {
  /** The labels before the From domain: `pm-bounces`. */
  readonly name: string
  readonly type: 'CNAME' | 'MX' | 'TXT'
  readonly target: RegExp
}

/**
 * The envelope sender that the receiver sees, to whose domain SPF applies:
 *
 * - `kept`: that of the message.
 * - `own`: one of the provider, so that SPF cannot align.
 * - `custom`: one of the provider, unless the account has a custom envelope domain. These records show it.
 *   `isComplete`: without one of them the account has none for this domain.
 * - `unknown`: the provider does not document it.
 * @example
 * ```ts
 * const canAlign = (envelope: EnvelopeSender) => envelope.type !== 'own'
 * ```
 */
export type EnvelopeSender =
  | { readonly type: 'kept' | 'own' | 'unknown' }
  | {
      readonly type: 'custom'
      readonly records: readonly ReturnPathRecord[]
      readonly isComplete: boolean
    }

/**
 * The state of a domain in the account of a DSN, as the provider's API tells it:
 *
 * - `verified`: messages from this domain are signed for `signingDomain`.
 * - `unverified`: the account has the domain, and does not sign for it yet. `records` are what it asks for.
 * - `missing`: the account does not have the domain, and does not sign for it.
 * - `unknown`: the API did not say. `problem` says why and what to do.
 * @example
 * ```ts
 * const sentence = (state: ProviderDomainState) => (state.state === 'unknown' ? state.problem : state.detail)
 * ```
 */
export type ProviderDomainState =
  | {
      readonly state: 'verified'
      /** The `d=` of the signature. */
      readonly signingDomain: string
      /**
       * The DKIM records that the signature needs. Each has to be looked up, too: providers do not notice at once that one
       * was deleted.
       */
      readonly records: readonly DomainRecord[]
      /** The custom envelope domain; null where the provider uses its own. Its SPF record has to be looked up, too. */
      readonly returnPath: string | null
      /** A sentence: what the provider answered. */
      readonly detail: string
    }
  | {
      readonly state: 'unverified'
      readonly detail: string
      /** As above: SPF may align without a signature. */
      readonly returnPath: string | null
      readonly records: readonly DomainRecord[]
    }
  | { readonly state: 'missing'; readonly detail: string }
  | { readonly state: 'unknown'; readonly problem: string }

/**
 * Options of `askDomain`.
 * @example
 * ```ts
 * const options: AskDomainOptions = { fetch, signal: AbortSignal.timeout(10_000) }
 * ```
 */
export interface AskDomainOptions {
  /** Obeys the outbound policy. */
  readonly fetch: typeof fetch
  /** Default: the question ends after 10 s. */
  readonly signal?: AbortSignal | undefined
  /** The time of a signed request. Default: now. */
  readonly now?: (() => Date) | undefined
}

/** What a provider is asked about a domain. */
export interface ProviderDomainQuestion extends AskDomainOptions {
  /** One transport, of this provider. */
  readonly dsn: string
  /** ASCII, in lower case. */
  readonly domain: string
}

/**
 * What a provider signs with, and which envelope sender it uses, as it documents it. `domains` of a `Provider`.
 * @example
 * ```ts
 * const isCertain = ({ selectors, refusesOthers }: ProviderDomains) => selectors.length > 0 && refusesOthers
 * ```
 */
export interface ProviderDomains {
  /** Selectors that are the same for all accounts; empty where each account has others. */
  readonly selectors: readonly ProviderSelector[]
  /** Whether a message from the domain cannot be signed for it without one of `selectors`. */
  readonly isComplete: boolean
  /** Whether the provider refuses a From domain whose DKIM record is not verified in the same account. */
  readonly refusesOthers: boolean
  readonly spf: {
    /** The `include:` that authorizes the provider's servers; empty where none is documented. */
    readonly includes: readonly string[]
    readonly envelope: EnvelopeSender
  }
  /** The provider's page about it. */
  readonly link: string
  /** What to set up, as far as it is the same for all accounts; empty where only the account knows it. */
  setUp(domain: string): DomainRecord[]
  /** Asks the provider's API with the credential of the DSN. It does not throw. Undefined: Mailyard cannot ask. */
  ask?(question: ProviderDomainQuestion): Promise<ProviderDomainState>
}
