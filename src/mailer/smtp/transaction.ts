import type { RecipientResult } from '../delivery/delivery-result.ts'
import type { Fault } from '../delivery/fault.ts'
import { FaultError } from '../delivery/fault-error.ts'
import type { Reply } from '../delivery/reply.ts'
import { untilReady } from '../delivery/until-ready.ts'
import type { Message } from '../message/message.ts'
import type { AwaitedReply } from './awaited-reply.ts'
import { mailCommand } from './envelope-commands.ts'
import { dataFault, senderFault } from './message-fault.ts'
import { besideRefusals, planRecipients, type RecipientPlan, refusedByAll } from './recipients.ts'
import { sendData } from './send-data.ts'
import type { SessionTimeouts } from './session-context.ts'
import { garbageFault } from './session-fault.ts'
import { isPositive, type SmtpReply, shownReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

/** What a transaction needs beside the session and the message. */
export interface TransactionOptions {
  readonly timeouts: SessionTimeouts
  /** Header lines to put before the message, each with its CRLF. */
  readonly head: string
  /** See `SendOptions`. */
  readonly ready?: Promise<unknown> | undefined
  /**
   * Called when the last byte is handed over: the next message may begin on the session, so that its
   * envelope travels with this one's end (RFC 2920, section 3.1).
   */
  readonly handOver: () => void
}

/** An accepted message. */
export interface Acceptance {
  readonly reply: Reply
  readonly recipients: readonly RecipientResult[]
  /** The fault of the first recipient that was refused; null when none was. */
  readonly fault: Fault | null
}

/**
 * Sends one message: envelope, DATA, bytes. With PIPELINING the envelope and DATA go out together and
 * the replies are read in turn (RFC 2920). Throws FaultError; it is uncertain when the message's last
 * byte was handed over and no proper answer came.
 */
export async function transact(
  session: SmtpSession,
  message: Message,
  options: TransactionOptions,
): Promise<Acceptance> {
  const { extensions, server, observer } = session
  const mail = mailCommand(message, server, extensions)
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
  const final = await endTransaction(session, message, { ...options, dialogue }).catch(
    (error: unknown) => {
      throw besideRefusals(error, plans)
    },
  )
  const reply = shownReply(final, session.redact)
  return {
    reply,
    recipients: plans.map((plan) => plan.result(reply)),
    fault: plans.find(({ fault }) => fault !== undefined)?.fault?.fault ?? null,
  }
}

/** Settles a recipient; a server that takes no message at all is left, since it still has DATA to answer. */
function settle(plan: RecipientPlan, reply: SmtpReply, session: SmtpSession): void {
  try {
    plan.settle(reply)
  } catch (error) {
    session.destroy()
    throw error
  }
}

/** DATA and the message; returns the reply that accepts it. */
async function endTransaction(
  session: SmtpSession,
  message: Message,
  options: TransactionOptions & { dialogue: Dialogue },
): Promise<SmtpReply> {
  session.observer.enter('data')
  const dataReply = await options.dialogue.next('data', 'DATA')
  if (dataReply.code !== 354) throw notData(session, dataReply, options)
  await untilReady(options, 'data').catch((error: unknown) => {
    // After its 354 the server takes whatever comes for the message.
    session.destroy()
    throw error
  })
  return sendData(session, message, options)
}

/** DATA was refused; or it was answered as if it were over, and nobody knows what the server waits for. */
function notData(
  session: SmtpSession,
  reply: SmtpReply,
  { timeouts }: TransactionOptions,
): FaultError {
  session.needsReset = true
  if (reply.code >= 400) return dataFault(session, reply)
  session.destroy()
  const awaited = { stage: 'data', what: 'DATA', timeoutMs: timeouts.commandMs } as const
  return garbageFault(session.server, awaited, String(reply.code))
}

/** The commands before the message, sent at once or one by one; `next` reads their replies in turn. */
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

  async next(stage: AwaitedReply['stage'], what: string): Promise<SmtpReply> {
    if (this.#hasReset) {
      this.#hasReset = false
      // Whatever the answer: a server that is unwell says so again at MAIL FROM.
      await this.#read('sender', 'RSET')
    }
    return this.#read(stage, what)
  }

  /** Gives the transaction up and leaves the session as the next message needs it, or dead. */
  async abandon(): Promise<void> {
    this.#session.needsReset = true
    if (!this.#isPipelined) return
    try {
      await this.#readRest()
    } catch (error) {
      // The session has ended; the reason for giving up is still the one that counts.
      if (!(error instanceof FaultError)) throw error
    }
  }

  async #readRest(): Promise<void> {
    let hasRecipient = false
    while (this.#unread > 1) hasRecipient ||= isPositive(await this.#read('recipient', 'RCPT TO'))
    const { code } = await this.#read('data', 'DATA')
    if (code !== 354) return
    // DATA was accepted all the same. Without a recipient an empty message goes to nobody (RFC 2920,
    // section 3.1); a server that took one must not get it.
    if (hasRecipient) {
      this.#session.destroy()
      return
    }
    this.#session.sendLine('.')
    await this.#session.readReply({ stage: 'data', what: 'DATA', timeoutMs: this.#timeoutMs })
  }

  async #read(stage: AwaitedReply['stage'], what: string): Promise<SmtpReply> {
    const command = this.#commands.shift()
    if (command !== undefined) this.#session.sendLine(command)
    this.#unread -= 1
    return this.#session.readReply({ stage, what, timeoutMs: this.#timeoutMs })
  }
}
