import { after, before } from 'node:test'
import { openMailServer, type ReceivedMail } from './mail-server.ts'

/** A real SMTP server on loopback that keeps what it is sent. */
export interface MailCatcher {
  dsn: string
  port: number
  mails: ReceivedMail[]
  stop(): Promise<void>
}

/**
 * Starts a server that takes everything, but refuses recipients whose address says so:
 * `refuse-550…@` (it does not exist), `refuse-554…@` and `refuse-450…@` at RCPT.
 */
export async function startMailCatcher(): Promise<MailCatcher> {
  const texts: Record<string, string> = { 550: '5.1.1 no such user', 554: '5.7.1 not welcome' }
  const server = await openMailServer({
    refuseRecipient(address) {
      const code = /^refuse-(\d{3})/.exec(address)?.[1]
      if (code === undefined) return undefined
      return { code: Number(code), message: texts[code] ?? '4.2.0 try again later' }
    },
  })
  const { port, received: mails } = server
  return { dsn: `smtp://127.0.0.1:${port}`, port, mails, stop: () => server.close() }
}

/** The same for the tests of one suite: it listens before the first of them, and is stopped after the last. */
export function useMailCatcher(): MailCatcher {
  const catcher = {} as MailCatcher
  before(async () => void Object.assign(catcher, await startMailCatcher()))
  after(() => catcher.stop())
  return catcher
}
