import type { SharedConnections } from './delivery/shared-connections.ts'
import type { OpenRate } from './delivery/shared-rate.ts'
import type { Transport } from './delivery/transport.ts'
import { parseDsn } from './dsn/parse-dsn.ts'
import { createMailerContext } from './mailer-context.ts'
import type { MailerOptions, MailerTimeouts } from './mailer-options.ts'
import type { TestOptions, TestReport } from './probe/test-report.ts'
import { testTransport } from './probe/test-transport.ts'
import { openTransport } from './transports/open-transport.ts'

/**
 * Opens and tests transports. A mailer itself holds no connection.
 * @example
 * ```ts
 * async function hasWorkingTransport(mailer: Mailer, dsn: string): Promise<boolean> {
 *   const report = await mailer.test(dsn, { from: 'shop@example.com', to: 'me@example.com' })
 *   return report.success
 * }
 * ```
 */
export interface Mailer {
  /**
   * Opens the transport of a DSN. It connects when the first message is sent. Keep it for all messages of the DSN: it
   * holds the connection pool, the rate limit and the state of failed members. Close it when you are done.
   * @throws {DsnError}
   */
  open(dsn: string, options?: OpenOptions): Transport
  /** Sends one message through exactly this DSN and reports every step. It does not throw. */
  test(dsn: string, options: TestOptions): Promise<TestReport>
}

/**
 * Options of an open transport.
 * @example
 * ```ts
 * const openShared = (mailer: Mailer, dsn: string, openRate: OpenRate) => mailer.open(dsn, { openRate })
 * ```
 */
export interface OpenOptions {
  /** Opens the rate limit of a DSN with `max_per_second`, if processes share it. Default: each transport has its own. */
  readonly openRate?: OpenRate
  /** Limits connections, if transports or processes share the limit. Default: each transport has its own. */
  readonly connections?: SharedConnections
}

/** A person waits for a test, so its time limits are shorter than those of a delivery. */
const testTimeouts: Required<MailerTimeouts> = {
  resolveMs: 5000,
  connectMs: 8000,
  tlsMs: 8000,
  greetingMs: 10_000,
  commandMs: 10_000,
  dataMs: 15_000,
  requestMs: 20_000,
  idleMs: 1000,
}

/**
 * Creates a mailer.
 * @throws {RangeError} for an outbound rule that cannot be read.
 * @example
 * ```ts
 * const mailer = createMailer()
 * const transport = mailer.open('failover(ses+api://KEY:SECRET@default smtp://localhost:25)')
 * const message = await composeMessage({
 *   from: { name: 'Shop', address: 'shop@example.com' },
 *   to: [{ name: '', address: 'jane@example.net' }],
 *   subject: 'Hello',
 *   text: 'Hello Jane!',
 * })
 * const { outcome, fault } = await transport.send(message)
 * await transport.close()
 * ```
 */
export function createMailer(options: MailerOptions = {}): Mailer {
  const context = createMailerContext(options, options.timeouts)
  const testContext = createMailerContext(options, { ...testTimeouts, ...options.testTimeouts })
  return {
    open: (dsn, { openRate, connections } = {}) =>
      openTransport(parseDsn(dsn, context.dsnOptions), { mailer: context, openRate, connections }),
    test: (dsn, testOptions) => testTransport(dsn, testOptions, testContext),
  }
}
