import type { Clock } from '../../kit/clock.ts'
import type { Lookup } from './connect/resolve-host.ts'
import type { Capture } from './delivery/capture.ts'
import type { RecipientGuard } from './delivery/recipient-guard.ts'
import type { DkimKeys } from './dkim/dkim-keys.ts'
import type { RefreshTokenStore } from './oauth/refresh-token-store.ts'
import type { OutboundRules } from './policy/outbound-policy.ts'

// The package exports these types: what they import needs no types of Node.

/**
 * Time limits of the steps of a delivery, in milliseconds.
 * @example
 * ```ts
 * const timeouts: MailerTimeouts = { connectMs: 5000, commandMs: 30_000 }
 * const mailer = createMailer({ timeouts })
 * ```
 */
export interface MailerTimeouts {
  /** Resolving the host name. Default 10 s. */
  readonly resolveMs?: number
  /** Connecting to a server, all of its addresses together. Default 10 s. */
  readonly connectMs?: number
  /** The TLS handshake. Default 10 s. */
  readonly tlsMs?: number
  /** Waiting for the greeting of an SMTP server. Default 30 s. */
  readonly greetingMs?: number
  /** One SMTP command and its reply. Default 60 s. */
  readonly commandMs?: number
  /** From the last byte of the message to the server's reply. Default 300 s (RFC 5321 recommends 600). */
  readonly dataMs?: number
  /** One request to an API and its response. Default 60 s. */
  readonly requestMs?: number
  /** How long an idle connection stays open. Default 60 s. */
  readonly idleMs?: number
}

/**
 * Options of a mailer. Every option has a default.
 * @example
 * ```ts
 * const options: MailerOptions = { policy: { mode: 'public' }, connectionsMax: 10, localDomain: 'mail.example.com' }
 * ```
 */
export interface MailerOptions {
  /** Default: mode `open`, with empty lists. */
  readonly policy?: OutboundRules
  readonly clock?: Clock
  /** Finds all addresses of a host. Default: the resolver of the system. */
  readonly lookup?: Lookup | undefined
  /** Returns a number from 0 up to but not including 1, for the first member of a round robin. Default: Math.random. */
  readonly random?: () => number
  /** The maximum of open connections per transport. Default 5. */
  readonly connectionsMax?: number
  /** The name in EHLO, unless the DSN has its own. Default: `[127.0.0.1]`, as in Symfony Mailer. */
  readonly localDomain?: string
  /** PEM certificates that are trusted in addition to the system's, for internal servers. */
  readonly certificates?: readonly string[]
  /** Local addresses that `source_ip` of a DSN may name. Default: none. */
  readonly sourceAddresses?: readonly string[]
  /**
   * The command that `sendmail://` and `native://` run, without a shell: program and arguments. It gets the message on
   * its standard input, and `-i -f SENDER -- RECIPIENTS` as its last arguments. Default: such DSNs are refused.
   */
  readonly command?: readonly [string, ...string[]] | undefined
  /** Stores the messages of `inbox://local`, and those that the guard does not let out. Default: they are refused. */
  readonly capture?: Capture
  /** Decides who gets mail, whatever the transport. Default: everybody. */
  readonly guard?: RecipientGuard
  /** Stores the refresh tokens that replace those of DSNs. Default: the mailer remembers them. */
  readonly refreshTokens?: RefreshTokenStore
  /** The keys that sign the messages sent over SMTP. Default: no message is signed. */
  readonly dkim?: DkimKeys | undefined
  readonly timeouts?: MailerTimeouts
  /** Time limits of `test`. They are shorter by default: 5 to 20 s. */
  readonly testTimeouts?: MailerTimeouts
}
