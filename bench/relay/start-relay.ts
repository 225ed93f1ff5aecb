import { type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'

/** Starts a Mailyard, on SQLite, that hands everything to one port of loopback. */
export function startRelay(sinkPort: number): Promise<MailyardProcess> {
  return startMailyard({
    env: {
      MAILYARD_MAILER_DSN: `smtp://127.0.0.1:${sinkPort}`,
      MAILYARD_SMTP_TRUSTED_NETWORKS: '127.0.0.0/8=admin',
    },
  })
}
