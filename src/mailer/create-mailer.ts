import { parseDsn } from './dsn/parse-dsn.ts'
import type { Mailer, MailerOptions, MailerTimeouts } from './mailer.ts'
import { createMailerContext } from './mailer-context.ts'
import { testTransport } from './probe/test-transport.ts'
import { openTransport } from './transports/open-transport.ts'

/** A person waits for a test, so its steps are shorter than those of a delivery. */
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

/** Makes a mailer. Throws RangeError for outbound rules that cannot be read. */
export function createMailer(options: MailerOptions = {}): Mailer {
  const context = createMailerContext(options)
  const testContext = createMailerContext({
    ...options,
    timeouts: { ...testTimeouts, ...options.testTimeouts },
  })
  return {
    open: (dsn) => openTransport(parseDsn(dsn, context.dsnOptions), context),
    test: (dsn, testOptions) => testTransport(dsn, testOptions, testContext),
  }
}
