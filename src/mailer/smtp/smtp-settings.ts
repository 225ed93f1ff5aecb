import type { Secret } from '../secret.ts'

/**
 * `implicit`: TLS from the first byte. `starttls`: the session stops where STARTTLS is not to be had.
 * `opportunistic`: STARTTLS where offered. `none`: never.
 */
export type TlsMode = 'implicit' | 'starttls' | 'opportunistic' | 'none'

/** How a session logs in. With `accessToken` it is XOAUTH2; an empty password is refused at the log-in. */
export interface SmtpCredentials {
  /** Some providers take a key for the user name. */
  readonly user: Secret
  readonly password: Secret | null
  readonly accessToken: Secret | null
}

/** A digest that the server's certificate must have, in lower-case hexadecimal. */
export interface Fingerprint {
  readonly algorithm: 'md5' | 'sha1' | 'sha256'
  readonly hex: string
}

/** How the server's certificate is judged. */
export interface PeerTrust {
  /** Whether chain, name and validity are checked. */
  readonly isVerified: boolean
  /** One of them must match, besides the chain; empty for no such demand. */
  readonly fingerprints: readonly Fingerprint[]
}

/** Everything an SMTP session needs to know of its DSN. */
export interface SmtpSettings {
  /** ASCII; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
  readonly trust: PeerTrust
  readonly credentials: SmtpCredentials | null
  /** What EHLO says; null for the mailer's own. */
  readonly localDomain: string | null
  /** Messages after which a connection is closed; Infinity for never. */
  readonly messagesPerConnection: number
  /** Pause between closing such a connection and opening the next. */
  readonly restartPauseMs: number
  /** Idle time after which a connection is asked with NOOP before it is trusted with a message. */
  readonly pingAfterMs: number
  /** Null for no limit. */
  readonly maxPerSecond: number | null
  /** The local address to connect from, without brackets. */
  readonly sourceAddress: string | null
  /** Header lines that the provider wants in every message that has none of that name. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}
