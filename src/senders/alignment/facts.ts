import type { DnsRecordItem } from '../schema.ts'

/** What DNS says of DMARC for a From domain. */
export interface DmarcFacts {
  state: 'found' | 'absent' | 'failed'
  record: string | null
  /** The name that has the record. */
  foundAt: string | null
  organizationalDomain: string | null
  /** The policy for this domain: `none`, `quarantine` or `reject`. */
  policy: string | null
  adkim: 'r' | 's'
  aspf: 'r' | 's'
  problems: readonly string[]
}

/** A key with which Mailyard signs messages of the From domain. */
export interface OwnKeyFacts {
  selector: string
  algorithm: 'rsa' | 'ed25519'
  /** Selectors that signed before, and whose records may still be in DNS. */
  oldSelectors: readonly string[]
  /** Whether Mailyard signs with it: its record was found once, and it is published. */
  isActive: boolean
  /** What its name has in DNS now: its record, another one, none, or DNS did not answer. */
  state: 'equal' | 'other' | 'absent' | 'failed'
  /** What was found instead, or why DNS did not answer. */
  detail: string
  /** Its record. */
  record: DnsRecordItem
}

/** A custom envelope domain in the account of a provider. */
export interface ReturnPathFacts {
  domain: string
  /** Undefined: DNS failed. */
  isAligned: boolean | undefined
  /** Whether its SPF is known to pass. */
  passes: boolean
}

/** What the API of a provider says of the From domain in the account of the DSN. */
export type ProviderFacts =
  | {
      state: 'verified'
      signingDomain: string
      /** Undefined: DNS failed. */
      isAligned: boolean | undefined
      /** Whether DNS has the records now that the signature needs; undefined: DNS failed. */
      hasRecords: boolean | undefined
      /** Null: the provider's own envelope domain. */
      returnPath: ReturnPathFacts | null
      detail: string
    }
  | {
      state: 'unverified'
      detail: string
      records: readonly DnsRecordItem[]
      returnPath: ReturnPathFacts | null
    }
  | { state: 'missing'; detail: string }
  | { state: 'unknown'; problem: string }

/** What DNS has at a name that a provider uses. */
export interface NameFacts {
  /** The whole name, `s1._domainkey.brand.example`. */
  name: string
  /** The domain whose selector it is. */
  domain: string
  /** `set`: what the provider asks for. `other`: something else. */
  state: 'set' | 'other' | 'absent' | 'failed'
  /** What was found, or why DNS did not answer. */
  detail: string
}

/** What SPF says of the envelope domain and a server. */
export interface SpfFacts {
  state: 'passes' | 'fails' | 'unknown'
  record: string | null
  /** Whether receivers can read the record. */
  isValid: boolean
  detail: string
}

/** How a provider authenticates domains: data of its folder. */
export interface ProviderRules {
  title: string
  /** Whether its list of selectors has all that it uses. */
  isComplete: boolean
  /** Whether it refuses messages from domains that are not verified in the same account. */
  refusesOthers: boolean
  /** What SPF records include. */
  includes: readonly string[]
  /** Whose domain the envelope sender has: ours, or the provider's, which a customer may be able to change. */
  envelope: 'kept' | 'own' | 'custom' | 'unknown'
  /** Whether there is no custom envelope domain without one of its records in DNS. */
  isEnvelopeComplete: boolean
  /** The provider's page about it. */
  link: string
  /** What to publish, without the API. */
  setUp: readonly DnsRecordItem[]
}

/** Everything that is known of one From domain and one server or API of a DSN. */
export interface MemberFacts {
  from: string
  dmarc: DmarcFacts
  /** Scheme, host and port. */
  label: string
  kind: 'smtp' | 'api' | 'null' | 'inbox' | 'command'
  /** The host of a server. */
  host: string | null
  /** Whether nothing between Mailyard and the recipient's server is known to change messages. */
  isPlain: boolean
  /** Why Mailyard does not sign messages through it; null if it does where it has a key. */
  unsigned: string | null
  /** Undefined for a plain server, and for a provider without data. */
  provider: ProviderRules | undefined
  /**
   * The domain that the account of the DSN signs for, and that its envelope senders have, whatever the From domain is. Null: that follows
   * from the From domain.
   */
  accountDomain: string | null
  /** Whether it is aligned for DKIM; undefined: DNS failed, or there is none. */
  isAccountAligned: boolean | undefined
  /** Undefined: Mailyard has no key for the domain. */
  ownKey: OwnKeyFacts | undefined
  /** Undefined: the provider has no such API. */
  asked: ProviderFacts | undefined
  /** The provider's selectors, at the From domain and its parents up to the organizational domain. */
  selectors: readonly NameFacts[]
  /** The records that show a custom envelope domain. */
  returnPaths: readonly NameFacts[]
  /** The domain of the envelope senders; those of other domains are named by `otherEnvelope`. */
  envelopeDomain: string
  /** Whether the envelope domain is aligned with the From domain; undefined: DNS failed. */
  isEnvelopeAligned: boolean | undefined
  /** Another envelope domain that messages of this domain were sent with. */
  otherEnvelope: string | null
  /** SPF of the envelope domain for the provider's include, or the address of the server. */
  spf: SpfFacts | undefined
}
