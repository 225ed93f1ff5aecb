import type { Clock } from './clock.ts'
import type { Lookup } from './connect/resolve-host.ts'
import type { Transport } from './delivery/transport.ts'
import type { OutboundRules } from './policy/outbound-policy.ts'
import type { TestOptions, TestReport } from './probe/test-report.ts'
import type { Capture } from './transports/capture.ts'

/** How long each step may take, in milliseconds. */
export interface MailerTimeouts {
  /** Default 10 s. */
  readonly resolveMs?: number
  /** To one server, all its addresses together. Default 10 s. */
  readonly connectMs?: number
  /** Default 10 s. */
  readonly tlsMs?: number
  /** Default 30 s. */
  readonly greetingMs?: number
  /** Any one command and its reply. Default 60 s. */
  readonly commandMs?: number
  /** From the message's last byte to the server's word on it. Default 300 s (RFC 5321 asks for 600). */
  readonly dataMs?: number
  /** A whole request to an API. Default 60 s. */
  readonly requestMs?: number
  /** After which an idle connection is closed. Default 60 s. */
  readonly idleMs?: number
}

/** What a mailer is made of; everything has a default. */
export interface MailerOptions {
  /** Default: `open`, nothing allowed or denied besides. */
  readonly policy?: OutboundRules
  readonly clock?: Clock
  /** Finds all addresses of a host. Default: the system's look-up. */
  readonly lookup?: Lookup | undefined
  /** From 0 up to but without 1, for where a round robin begins and for jitter. Default: Math.random. */
  readonly random?: () => number
  /** Connections that one transport may hold open. Default 5. */
  readonly connectionsMax?: number
  /** What EHLO says where the DSN does not. Default: `[127.0.0.1]`, as in Symfony Mailer. */
  readonly localDomain?: string
  /** PEM certificates that are trusted besides the system's, for in-house servers. */
  readonly certificates?: readonly string[]
  /** Local addresses that a DSN's `source_ip` may name. Default: none. */
  readonly sourceAddresses?: readonly string[]
  /**
   * The one command that `sendmail://` and `native://` run, without a shell: program and arguments. It
   * gets the message on its standard input and `-f SENDER -- RECIPIENTS` at its end. Default: refused.
   */
  readonly command?: readonly [string, ...string[]]
  /** Stores the messages of `inbox://local`. Default: such DSNs are refused. */
  readonly capture?: Capture
  readonly timeouts?: MailerTimeouts
  /** Those of `test`, which are shorter by default: 5 to 20 s. */
  readonly testTimeouts?: MailerTimeouts
}

/** Opens and tests transports. It holds no connection itself. */
export interface Mailer {
  /**
   * Opens the transport of a DSN; it connects with its first message. Throws DsnError. Whoever opens
   * a transport keeps it for all messages of its DSN, since pools, rate limits and the memory of
   * failed members live in it, and closes it.
   */
  open(dsn: string): Transport
  /** Sends one message through exactly this DSN and reports every step. It does not throw. */
  test(dsn: string, options: TestOptions): Promise<TestReport>
}
