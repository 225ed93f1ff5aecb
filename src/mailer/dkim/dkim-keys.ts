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
 * Why a message was sent unsigned although its domain has a key.
 * @example
 * ```ts
 * const logUnsigned = ({ domain, reason }: UnsignedMessage) => console.warn(`${domain}: ${reason}`)
 * ```
 */
export interface UnsignedMessage {
  readonly domain: string
  readonly selector: string
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
  /**
   * Returns the key of a domain; undefined if its messages are not signed. It is called for every message and must
   * not throw.
   * @param domain ASCII, in lower case.
   */
  find(domain: string): DkimKey | undefined
  /**
   * Looks up a DNS record, as `resolve` of node:dns/promises, to verify a signature that a message has already. Default: the
   * resolver of the system.
   */
  readonly resolver?: ((name: string, type: string) => Promise<string[][] | string[]>) | undefined
  /** Called when signing failed, or made a message too large for the server. The message is sent unsigned, as it was. */
  readonly onUnsigned?: ((message: UnsignedMessage) => void) | undefined
}
