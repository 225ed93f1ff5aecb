import { after } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import type { MovableClock } from '../../../../test/movable-clock.ts'
import { type Dialogue, openDialogue } from '../../../../test/smtp-dialogue.ts'
import { createReply } from '../../../core/delivery/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import { ByteBudget } from '../../../kit/byte-budget.ts'
import { systemClock } from '../../../kit/clock.ts'
import { createLog } from '../../../kit/log.ts'
import { createSelfSigned } from '../../../libraries/mailer/testing/certificates.case.test.ts'
import type { Login } from '../../../platform/auth/index.ts'
import type { ReceivedMessage, SmtpServerRules } from './session.ts'
import { openSmtpServer, type SmtpServerOptions } from './smtp-server.ts'

const ada = {
  userId: 1,
  name: 'Ada',
  email: undefined,
  isAdmin: true,
  brands: 'all' as const,
  can: () => true,
}
const login: Login = { findCaller: async () => ada }
export const timeouts = { loginMs: 60_000, commandMs: 60_000, pieceMs: 60_000, messageMs: 60_000 }

/** Sends a text again and again, while ten seconds pass each time, until the server closes the connection. */
export async function drip(client: Dialogue, text: string, clock: MovableClock): Promise<void> {
  let isOpen = true
  void client.ended.then(() => {
    isOpen = false
  })
  while (isOpen) {
    client.send(text)
    clock.advance(10_000)
    await setTimeout(20)
  }
}

/** The option of a server that has TLS. */
export function createTls() {
  const { cert, key } = createSelfSigned({ names: ['localhost'] })
  const context = createSecureContext({ cert, key })
  return { secureContext: () => context }
}

/** Begins a message to one recipient, up to its data. */
export async function beginData(client: Dialogue): Promise<void> {
  await client.say('MAIL FROM:<a@b.test>')
  await client.say('RCPT TO:<c@d.test>')
  await client.say('DATA')
}

/** Opens an SMTP server on a free port, to which every client on this machine may log in. It is closed after the test. */
export async function openTestServer(
  changes: Partial<Omit<SmtpServerOptions, 'rules'>> & { rules?: Partial<SmtpServerRules> } = {},
) {
  const received: ReceivedMessage[] = []
  const rules = {
    name: 'mail.test',
    sizeMax: 100_000,
    recipientsMax: 5,
    logIn: async ({ password }: { password: string }) => {
      if (password === 'right') return login
      throw new AppError('unauthenticated', 'unauthenticated', 'That is not right.')
    },
    accept: async (someone: Login) =>
      (await someone.findCaller()) ?? createReply(530, '5.7.0', 'No'),
    checkSender: async () => undefined,
    submit: async (submission: ReceivedMessage) => {
      received.push(submission)
      return createReply(250, '2.0.0', 'Taken')
    },
  }
  const server = await openSmtpServer({
    host: '127.0.0.1',
    port: 0,
    securePort: undefined,
    secureContext: undefined,
    trust: () => login,
    connectionsMax: 50,
    connectionsPerAddressMax: 50,
    memory: new ByteBudget(1_000_000),
    timeouts,
    sweepMs: 20,
    clock: systemClock,
    log: createLog('silent'),
    ...changes,
    rules: { ...rules, ...changes.rules },
  })
  after(() => server.close(1_000))
  const { port = 0 } = server
  const dial = async () => {
    const client = await openDialogue(port)
    await client.say('EHLO client.test')
    return client
  }
  const text = (index: number) => Buffer.concat(received[index]?.chunks ?? []).toString('latin1')
  return { server, port, received, dial, text }
}
