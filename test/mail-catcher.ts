import { SMTPServer } from 'smtp-server'

/** A message as it arrived. */
export interface CaughtMail {
  from: string
  to: string[]
  raw: string
}

/** A real SMTP server on loopback that keeps what it is sent. */
export interface MailCatcher {
  dsn: string
  port: number
  mails: CaughtMail[]
  stop(): Promise<void>
}

/**
 * Starts a server that takes everything, but refuses recipients whose address says so:
 * `refuse-550…@` (it does not exist), `refuse-554…@` and `refuse-450…@` at RCPT.
 */
export async function startMailCatcher(): Promise<MailCatcher> {
  const mails: CaughtMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const code = /^refuse-(\d{3})/.exec(address)?.[1]
      if (code === undefined) return done()
      const texts: Record<string, string> = { 550: '5.1.1 no such user', 554: '5.7.1 not welcome' }
      const text = texts[code] ?? '4.2.0 try again later'
      done(Object.assign(new Error(text), { responseCode: Number(code) }))
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ from, to, raw: Buffer.concat(chunks).toString() })
        done()
      })
    },
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    dsn: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    stop: () => new Promise((done) => server.close(done)),
  }
}
