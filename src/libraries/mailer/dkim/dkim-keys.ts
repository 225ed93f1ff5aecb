// The package exports these types: what they import needs no types of Node.

/**
 * A private key: a `KeyObject` of node:crypto.
 * @example
 * ```ts
 * const isRsa = ({ asymmetricKeyType }: DkimPrivateKey) => asymmetricKeyType === 'rsa'
 * ```
 */
export interface DkimPrivateKey {
  readonly type: string
  readonly asymmetricKeyType?: string | undefined
}

/**
 * A key that signs the messages of a domain.
 * @example
 * ```ts
 * const signsWithRsa = ({ algorithm }: DkimKey) => algorithm === 'rsa'
 * ```
 */
export interface DkimKey {
  /** ASCII, in lower case: `xn--bcher-kva.example`. */
  readonly domain: string
  /** Its public half is at `{selector}._domainkey.{domain}`. */
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  readonly privateKey: DkimPrivateKey
}

/**
 * Why a message was sent unsigned:
 *
 * - `submitter`: the keys of its domain are for other submitters.
 * - `long_line`: it has a line of more than 998 octets or a NUL, which servers change.
 * - `eight_bit`: it has 8-bit text, and the server lacks 8BITMIME.
 * - `too_large`: the server accepts it only without the signature.
 * - `failed`: the key could not sign.
 * @example
 * ```ts
 * const isOfMessage = (cause: UnsignedCause) => cause !== 'failed'
 * ```
 */
export type UnsignedCause = 'submitter' | 'long_line' | 'eight_bit' | 'too_large' | 'failed'

/**
 * A message that was sent unsigned although its domain has a key.
 * @example
 * ```ts
 * const logUnsigned = ({ domain, reason }: UnsignedMessage) => console.warn(`${domain}: ${reason}`)
 * ```
 */
export interface UnsignedMessage {
  readonly domain: string
  readonly selector: string
  readonly cause: UnsignedCause
  /** One sentence, without a secret. */
  readonly reason: string
}

/**
 * The keys that sign messages sent over SMTP, each for the messages whose only From domain is its domain.
 * @see RFC 6376
 * @example
 * ```ts
 * const keysOf = (key: DkimKey): DkimKeys => ({
 *   find: (domain) => (domain === key.domain ? key : undefined),
 * })
 * ```
 */
export interface DkimKeys {
  /** Whether there is no key at the moment: then no message is searched for its From. Default: false. */
  readonly isEmpty?: boolean | undefined
  /**
   * Returns the key that signs the messages of a domain and a submitter; undefined if they are not signed. It is called for
   * every message and must not throw.
   * @param domain ASCII, in lower case.
   * @param submitter See `SendOptions`.
   */
  find(domain: string, submitter: number | undefined): DkimKey | undefined
  /** Called when a message is sent unsigned, as it was. */
  readonly onUnsigned?: ((message: UnsignedMessage) => void) | undefined
}
