import { isAscii } from 'node:buffer'
import { domainToASCII } from 'node:url'
import { failedRecipient } from '../delivery/create-result.ts'
import type { RecipientResult } from '../delivery/delivery-result.ts'
import type { ServerReply } from '../delivery/fault.ts'
import { FaultError, joinSentences } from '../delivery/fault-error.ts'
import type { Message } from '../message/message.ts'
import { recipientFault } from './message-fault.ts'
import { type Extensions, isPositive, type SmtpReply } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'

/** One recipient of a transaction: its RCPT command and its result. */
export class RecipientPlan {
  /** Undefined when the server cannot accept the address; no command is sent then. */
  readonly command: string | undefined
  readonly address: string
  readonly #session: SmtpSession
  #fault: FaultError | undefined

  constructor(address: string, session: SmtpSession) {
    this.address = address
    this.#session = session
    try {
      this.command = recipientCommand(address, session)
    } catch (error) {
      if (!(error instanceof FaultError)) throw error
      this.#fault = error
    }
  }

  /** Why it was refused; undefined unless it was. */
  get fault(): FaultError | undefined {
    return this.#fault
  }

  /** Its result when it was refused, independent of the message; undefined unless it was. */
  get refusal(): RecipientResult | undefined {
    return this.#fault === undefined ? undefined : refusedRecipient(this.address, this.#fault)
  }

  /**
   * Records the server's reply.
   * @throws {FaultError} for a fault of the member.
   */
  settle(reply: SmtpReply): void {
    if (isPositive(reply)) return
    this.#fault = recipientFault(this.#session, reply, this.address)
    if (this.#fault.fault.scope === 'member') throw this.#fault
  }

  /** Returns its result in a message that was accepted with `reply`. */
  result(reply: ServerReply): RecipientResult {
    return this.refusal ?? { address: this.address, outcome: 'accepted', reply, isPermanent: false }
  }
}

/** Adds the results of recipients that were refused earlier to a fault of the message. */
export function besideRefusals(error: unknown, plans: readonly RecipientPlan[]): unknown {
  if (!(error instanceof FaultError) || error.recipients !== undefined) return error
  if (plans.every(({ refusal }) => refusal === undefined)) return error
  const { fault, isUncertain, cause } = error
  const recipients = plans.map((plan) => plan.refusal ?? failedRecipient(plan.address, error))
  return new FaultError(fault, { cause, isUncertain, recipients })
}

/** Creates the recipients of a transaction, in the order of the envelope. */
export function planRecipients(message: Message, session: SmtpSession): RecipientPlan[] {
  return message.envelope.to.map((address) => new RecipientPlan(address, session))
}

function refusedRecipient(address: string, { fault }: FaultError): RecipientResult {
  return { address, outcome: 'refused', reply: fault.reply, isPermanent: fault.isPermanent }
}

/** Creates the fault of a message whose recipients were all refused. Its sentence names each reason. */
export function refusedByAll(plans: readonly RecipientPlan[]): FaultError {
  const faults = plans.flatMap(({ fault }) => (fault === undefined ? [] : [fault.fault]))
  const [first] = faults
  if (first === undefined) throw new Error('No recipient was refused.')
  if (faults.length === 1) return new FaultError(first)
  return new FaultError(
    {
      ...first,
      message: joinSentences([
        `All ${faults.length} recipients were refused.`,
        ...faults.map(({ message }) => message),
      ]),
      // Some may be accepted later.
      isPermanent: faults.every(({ isPermanent }) => isPermanent),
    },
    { recipients: plans.flatMap(({ refusal }) => refusal ?? []) },
  )
}

/**
 * Builds MAIL FROM with the parameters that the server supports.
 * @param head The header lines that are sent before the message.
 * @throws {FaultError} when it cannot accept the message.
 */
export function mailCommand(
  message: Message,
  head: string,
  { server, extensions }: { server: string; extensions: Extensions },
): string {
  const { envelope, raw } = message
  const { sizeBytesMax, hasSize, has8BitMime, hasSmtpUtf8 } = extensions
  const sizeBytes = Buffer.byteLength(head) + raw.length
  if (sizeBytes > sizeBytesMax)
    throw new FaultError({
      code: 'too_large',
      scope: 'message',
      stage: 'sender',
      message: `${server} accepts messages of at most ${sizeBytesMax} bytes; this one has ${sizeBytes}.`,
      isPermanent: true,
    })
  const from = withAsciiDomain(envelope.from)
  const has8Bit = !isAscii(raw)
  const isUtf8 = needsUtf8(from) || envelope.to.some(needsUtf8) || (has8Bit && hasUtf8Head(raw))
  if (needsUtf8(from) && !hasSmtpUtf8) throw utf8Unsupported('sender', from, server)
  return [
    `MAIL FROM:<${from}>`,
    hasSize ? ` SIZE=${sizeBytes}` : '',
    has8BitMime && has8Bit ? ' BODY=8BITMIME' : '',
    hasSmtpUtf8 && isUtf8 ? ' SMTPUTF8' : '',
  ].join('')
}

/**
 * Builds RCPT TO of one recipient.
 * @throws {FaultError} when the server cannot accept the address.
 */
function recipientCommand(
  address: string,
  { server, extensions }: { server: string; extensions: Extensions },
): string {
  const to = withAsciiDomain(address)
  if (needsUtf8(to) && !extensions.hasSmtpUtf8) throw utf8Unsupported('recipient', to, server)
  return `RCPT TO:<${to}>`
}

/** Converts the domain of an address to ASCII. A local part has no ASCII form. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  // An ASCII domain stays as it is, because 127.1 would become 127.0.0.1.
  const encoded = /[^ -~]/.test(domain) ? domainToASCII(domain) : ''
  return encoded === '' ? address : `${address.slice(0, at)}@${encoded}`
}

function needsUtf8(address: string): boolean {
  return /[^ -~]/.test(withAsciiDomain(address))
}

/**
 * Whether the header section has characters beyond ASCII, which need SMTPUTF8.
 * @see RFC 6531, section 3.1
 */
function hasUtf8Head(raw: Uint8Array): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const end = bytes.indexOf('\r\n\r\n')
  return !isAscii(end === -1 ? bytes : bytes.subarray(0, end))
}

function utf8Unsupported(
  stage: 'sender' | 'recipient',
  address: string,
  server: string,
): FaultError {
  return new FaultError({
    code: 'utf8_unsupported',
    scope: stage === 'sender' ? 'message' : 'recipient',
    stage,
    message: `${server} does not accept addresses with characters such as those in ${address} (it lacks SMTPUTF8).`,
    isPermanent: true,
  })
}
