import { createFolder, type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'

/** Starts a Mailyard in a folder of its own, on SQLite, that hands everything to one port of loopback. */
export async function startRelay(
  sinkPort: number,
  env: Record<string, string> = {},
): Promise<MailyardProcess> {
  const { folder, remove } = createFolder()
  const mailyard = await startMailyard(folder, {
    MAILYARD_MAILER_DSN: `smtp://127.0.0.1:${sinkPort}`,
    MAILYARD_SMTP_TRUSTED_NETWORKS: '127.0.0.0/8=admin',
    ...env,
  })
  return {
    ...mailyard,
    async stop() {
      const code = await mailyard.stop()
      remove()
      return code
    },
  }
}
