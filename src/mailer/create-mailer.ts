import { parseDsn } from './dsn/parse-dsn.ts'
import type { Mailer, MailerOptions } from './mailer.ts'
import { createMailerContext } from './mailer-context.ts'
import { openTransport } from './transports/open-transport.ts'

/** Makes a mailer. Throws RangeError for outbound rules that cannot be read. */
export function createMailer(options: MailerOptions = {}): Pick<Mailer, 'open'> {
  const context = createMailerContext(options)
  const hasCommand = context.command !== undefined
  return {
    open: (dsn) => openTransport(parseDsn(dsn, { hasCommand }), context),
  }
}
