import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerEnvelope, type SMTPServerOptions } from 'smtp-server'

/** A message that a mail server took. */
export interface ReceivedMail {
  from: string
  to: string[]
  /** Headers and body, as they came. */
  raw: string
  /** As whom the sender logged in. */
  username: string | undefined
  /** The address that it came from. */
  remoteAddress: string
}

/** A real SMTP server on loopback, which keeps what it takes. */
export interface MailServer {
  port: number
  received: ReceivedMail[]
  close(): Promise<void>
}

/** What a mail server lets in. */
export interface MailServerOptions {
  /** The log-in that it asks for; none if left out. */
  login?: { username: string; password: string }
  /** What it says to each message, such as a refusal; it takes them all if left out. */
  refusal?: Refusal
  /** What it says to a recipient; undefined takes it. */
  refuseRecipient?: (address: string, sender: string) => Refusal | undefined
}

interface Refusal {
  code: number
  message: string
}

/** Opens a mail server on a free port. */
export async function openMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer(serverOptions(options, received))
  server.on('error', () => undefined)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    close: () => new Promise((done) => server.close(done)),
  }
}

function serverOptions(
  { login, refusal, refuseRecipient }: MailServerOptions,
  received: ReceivedMail[],
): SMTPServerOptions {
  return {
    disableReverseLookup: true,
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    authOptional: login === undefined,
    disabledCommands: login === undefined ? ['AUTH'] : [],
    closeTimeout: 1_000,
    onAuth({ username = '', password = '' }, _session, answer) {
      const isRight = username === login?.username && password === login.password
      answer(isRight ? null : new Error('Wrong user name or password'), { user: username })
    },
    onRcptTo({ address }, { envelope }, answer) {
      answer(errorOf(refuseRecipient?.(address, senderOf(envelope))))
    },
    onData(stream, { envelope, user, remoteAddress }, answer) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusal !== undefined) return answer(errorOf(refusal))
        received.push({
          from: senderOf(envelope),
          to: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          username: user,
          remoteAddress,
        })
        answer(null, 'taken')
      })
    },
  }
}

function senderOf({ mailFrom }: SMTPServerEnvelope): string {
  return mailFrom === false ? '' : mailFrom.address
}

function errorOf(refusal: Refusal | undefined): Error | null {
  if (refusal === undefined) return null
  return Object.assign(new Error(refusal.message), { responseCode: refusal.code })
}
