import type { PeerTrust } from '../connect/endpoint.ts'
import type { TokenGrant } from '../oauth/token-grant.ts'
import type { Secret } from '../secret.ts'

/**
 * When TLS is used. `implicit`: from the first byte. `starttls`: STARTTLS is required. `opportunistic`: STARTTLS is used
 * when the server offers it. `none`: never.
 */
export type TlsMode = 'implicit' | 'starttls' | 'opportunistic' | 'none'

/** A user name and what proves it. With `accessToken` the log-in is by OAuth. An empty password is a fault at log-in. */
export interface SmtpCredentials {
  /** A Secret, because some providers use a key as user name. */
  readonly user: Secret
  readonly password: Secret | null
  readonly accessToken: Secret | null
}

/** The application that logs in to mailboxes, with an access token that it requests. */
export interface SmtpOAuth {
  readonly grant: TokenGrant
  /** Null: the mailbox of each message's sender. */
  readonly mailbox: string | null
}

/** The settings that an SMTP session takes from its DSN. */
export interface SmtpSettings {
  /** ASCII; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
  readonly trust: PeerTrust
  /** Null: no log-in, or by OAuth. */
  readonly credentials: SmtpCredentials | null
  readonly oauth: SmtpOAuth | null
  /** The name in EHLO; null for the mailer's default. */
  readonly localDomain: string | null
  /** How many messages a connection sends before it is closed; Infinity for no limit. */
  readonly messagesPerConnection: number
  /** The pause between closing such a connection and opening the next. */
  readonly restartPauseMs: number
  /** The idle time after which NOOP checks the connection before the next message. */
  readonly pingAfterMs: number
  /** Null for no limit. */
  readonly maxPerSecond: number | null
  /** The most messages of one mailbox in any 60 seconds; null for no limit. */
  readonly maxPerMinute: number | null
  /** The connections of one mailbox; null for the mailer's default. */
  readonly connectionsMax: number | null
  /** The local address to connect from, without brackets. */
  readonly sourceAddress: string | null
  /** Header fields that are added to every message without them. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Whether messages whose domain has a key are signed. The sandbox of a provider delivers nothing, so they are not. */
  readonly signsDkim: boolean
  /** Whether the envelope sender is that of `SendOptions.returnPath`. */
  readonly hasReturnPath: boolean
}
