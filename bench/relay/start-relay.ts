import type { SmtpMode } from '../../src/kit/smtp-mode.ts'
import {
  apiSettings,
  type MailyardOptions,
  type MailyardProcess,
  startMailyard,
} from '../../test/mailyard-process.ts'

/** Starts a Mailyard, on SQLite by default, that relays everything to one port of loopback. */
export function startRelay(
  sinkPort: number,
  { mode = 'direct', ...options }: Omit<MailyardOptions, 'env'> & { mode?: SmtpMode } = {},
): Promise<MailyardProcess> {
  return startMailyard({
    ...options,
    env: {
      MAILYARD_SMTP_MODE: mode,
      MAILYARD_MAILER_DSN: `smtp://127.0.0.1:${sinkPort}`,
      MAILYARD_SECRET_KEY: apiSettings.MAILYARD_SECRET_KEY,
      MAILYARD_SMTP_TRUSTED_NETWORKS: '127.0.0.0/8=admin',
    },
  })
}
