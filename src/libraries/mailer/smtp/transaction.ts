import type { Accepted } from '../delivery/create-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { type SendOptions, waitUntilReady } from '../delivery/transport.ts'
import type { Message } from '../message/message.ts'
import {
  besideRefusals,
  mailCommand,
  planRecipients,
  type RecipientPlan,
  refusedByAll,
} from './envelope.ts'
import { dataFault, senderFault } from './message-fault.ts'
import { sendData } from './send-data.ts'
import type { SessionTimeouts } from './session-context.ts'
import { type AwaitedReply, garbageFault } from './session-fault.ts'
import { isPositive, messageIdOf, type SmtpReply, shownReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

interface TransactionOptions extends Pick<SendOptions, 'ready' | 'isLeaseValid' | 'beforeMessage'> {
  readonly timeouts: SessionTimeouts
  /** Header lines to add before the message, each with its CRLF. */
  readonly head: string
  /**
   * Called when the last byte was written to the socket. The next message may start on the session, so that its envelope
   * is sent together with the end of this one.
   * @see RFC 2920, section 3.1
   */
  readonly handOver: () => void
}

/**
 * Sends one message: envelope, DATA, bytes. With PIPELINING the envelope and DATA are sent together.
 * @throws {FaultError} which is uncertain when the last byte was sent and no valid reply came.
 * @see RFC 5321, section 3.3; RFC 2920
 */
export async function transact(
  session: SmtpSession,
  message: Message,
  options: TransactionOptions,
): Promise<Accepted> {
  const { observer } = session
  const mail = mailCommand(message, options.head, session)
  const plans = planRecipients(message, session)
  if (plans.every(({ command }) => command === undefined)) throw refusedByAll(plans)
  const dialogue = new Dialogue(session, options.timeouts)
  session.messages += 1
  dialogue.begin(mail, plans)

  observer.enter('sender')
  const mailReply = await dialogue.next('sender', 'MAIL FROM')
  if (!isPositive(mailReply)) {
    await dialogue.abandon()
    throw senderFault(session, mailReply, message.envelope.from)
  }
  observer.enter('recipient')
  for (const plan of plans)
    if (plan.command !== undefined)
      settle(plan, await dialogue.next('recipient', 'RCPT TO'), session)
  if (plans.every(({ fault }) => fault !== undefined)) {
    await dialogue.abandon()
    throw refusedByAll(plans)
  }
  const final = await endTransaction(session, dialogue, { message, options }).catch(
    (error: unknown) => {
      throw besideRefusals(error, plans)
    },
  )
  const reply = shownReply(final, session.redact)
  return {
    stage: 'data',
    reply,
    recipients: plans.map((plan) => plan.result(reply)),
    fault: plans.find(({ fault }) => fault !== undefined)?.fault?.fault ?? null,
    messageId: messageIdOf(reply),
  }
}

/** Records the reply to RCPT. After a fault of the member the session is closed, because DATA was already sent. */
function settle(plan: RecipientPlan, reply: SmtpReply, session: SmtpSession): void {
  try {
    plan.settle(reply)
  } catch (error) {
    session.destroy()
    throw error
  }
}

/** Sends DATA and the message. Returns the reply that accepts it. */
async function endTransaction(
  session: SmtpSession,
  dialogue: Dialogue,
  { message, options }: { message: Message; options: TransactionOptions },
): Promise<SmtpReply> {
  session.observer.enter('data')
  const dataReply = await dialogue.next('data', 'DATA')
  if (dataReply.code !== 354) throw notData(session, dataReply, options)
  await waitUntilReady(options, 'data').catch((error: unknown) => {
    // After 354 the server reads every byte as part of the message.
    session.destroy()
    throw error
  })
  return sendData(session, message, options)
}

/** Creates the fault of a reply to DATA other than 354. After a positive reply the state of the server is unknown. */
function notData(
  session: SmtpSession,
  reply: SmtpReply,
  { timeouts }: TransactionOptions,
): FaultError {
  session.needsReset = true
  if (reply.code >= 400) return dataFault(session, reply)
  session.destroy()
  const awaited = { stage: 'data', trigger: 'DATA', timeoutMs: timeouts.commandMs } as const
  return garbageFault(session.server, awaited, String(reply.code))
}

/** The commands before the message, pipelined or one by one. `next` reads their replies in order. */
class Dialogue {
  readonly #session: SmtpSession
  readonly #timeoutMs: number
  readonly #isPipelined: boolean
  #commands: string[] = []
  #hasReset = false
  #unread = 0

  constructor(session: SmtpSession, { commandMs }: SessionTimeouts) {
    this.#session = session
    this.#timeoutMs = commandMs
    this.#isPipelined = session.extensions.hasPipelining
  }

  begin(mail: string, plans: readonly RecipientPlan[]): void {
    this.#hasReset = this.#session.needsReset
    this.#session.needsReset = false
    if (this.#hasReset) this.#commands.push('RSET')
    this.#commands.push(mail)
    for (const { command } of plans) if (command !== undefined) this.#commands.push(command)
    this.#commands.push('DATA')
    this.#unread = this.#commands.length
    if (!this.#isPipelined) return
    this.#session.sendLines(this.#commands)
    this.#commands = []
  }

  async next(stage: AwaitedReply['stage'], trigger: string): Promise<SmtpReply> {
    if (this.#hasReset) {
      this.#hasReset = false
      // The reply to RSET is ignored: a failing server also refuses MAIL FROM.
      await this.#read('sender', 'RSET')
    }
    return this.#read(stage, trigger)
  }

  /** Cancels the transaction. The session is then ready for the next message, or closed. */
  async abandon(): Promise<void> {
    this.#session.needsReset = true
    if (!this.#isPipelined) return
    try {
      await this.#readRest()
    } catch (error) {
      // The session is closed. The original fault is reported, not this one.
      if (!(error instanceof FaultError)) throw error
    }
  }

  async #readRest(): Promise<void> {
    let hasRecipient = false
    while (this.#unread > 1) hasRecipient ||= isPositive(await this.#read('recipient', 'RCPT TO'))
    const { code } = await this.#read('data', 'DATA')
    if (code !== 354) return
    // The server accepted DATA anyway. Without a recipient an empty message is sent to no one (RFC 2920, section
    // 3.1). A server that accepted a recipient must not get it.
    if (hasRecipient) {
      this.#session.destroy()
      return
    }
    this.#session.sendLine('.')
    await this.#session.readReply({ stage: 'data', trigger: 'DATA', timeoutMs: this.#timeoutMs })
  }

  async #read(stage: AwaitedReply['stage'], trigger: string): Promise<SmtpReply> {
    const command = this.#commands.shift()
    if (command !== undefined) this.#session.sendLine(command)
    this.#unread -= 1
    return this.#session.readReply({ stage, trigger, timeoutMs: this.#timeoutMs })
  }
}
