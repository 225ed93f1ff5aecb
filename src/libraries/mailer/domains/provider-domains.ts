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
  readonly type: 'CNAME' | 'MX'
  readonly target: RegExp
}

/**
 * What a provider signs with, and which records it asks for, as it documents it. `domains` of a `Provider`.
 * @example
 * ```ts
 * const hasSelectors = ({ selectors = [] }: ProviderDomains) => selectors.length > 0
 * ```
 */
export interface ProviderDomains {
  /** Selectors that are the same for all accounts. Default: each account has others. */
  readonly selectors?: readonly ProviderSelector[]
  /** Whether a message from the domain cannot be signed for it without one of `selectors`. Default: it may be. */
  readonly isComplete?: boolean
  /** Records that show an envelope sender of the From domain in place of one of the provider. */
  readonly returnPaths?: readonly ReturnPathRecord[]
  /** The `include:` of its servers, where the envelope sender may have the domain of the message or of the account. */
  readonly include?: string
  /** The provider's page about it. */
  readonly link: string
  /** The CNAMEs to publish, by the labels before the domain, where they are the same for all accounts. */
  readonly cnames?: Readonly<Record<string, string>>
}
