import { AppError } from '../../../kit/app-error.ts'
import type { Log } from '../../../kit/log.ts'
import type { Unanswered } from '../../../kit/unanswered.ts'
import type {
  DeliveryResult,
  Fault,
  RecipientResult,
  ServerReply,
} from '../../../libraries/mailer/index.ts'
import { TwigError } from '../../../libraries/twig/index.ts'
import { isDiskFull } from '../../../platform/storage/index.ts'
import { TooLargeToRender } from '../../mime/index.ts'
import type { Duplicate, OriginalDelivery } from '../log/start-attempts.ts'
import { type AttemptOutcome, outcomeOf } from '../outcomes.ts'
import type { SuppressedRecipient } from '../suppressed-recipient.ts'

/** The answer to a message for a recipient: a code of RFC 5321, an enhanced status code of RFC 3463, and a sentence. */
export interface Reply {
  readonly code: number
  /** Such as `5.1.1`. */
  readonly status: string
  readonly text: string
}

export function createReply(code: number, status: string, text: string): Reply {
  return { code, status, text }
}

/** The reply as one line, as it is stored and shown. */
export function replyLine({ code, status, text }: Reply): string {
  return `${code} ${status} ${text}`
}

/** The reply if there is no memory for a message or for the copies that are made to send it. */
export const memoryLimitReached = createReply(
  452,
  '4.3.1',
  'The limit for message data in memory is reached; try again later',
)

/** Whether another attempt cannot help. */
export function isPermanent({ code }: Reply): boolean {
  return code >= 500
}

/** What a server answered about a message, for notifications. */
export interface ServerAnswer {
  readonly reply: ServerReply | null
  /** The name of the server; undefined unless it speaks SMTP. */
  readonly remoteMta?: string | undefined
  /** What the sender can do; undefined if the hint concerns another recipient. */
  readonly hint?: string | undefined
}

/** What happened to a message for one recipient, and what its sender is answered. */
export interface RecipientReport {
  readonly address: string
  /**
   * `duplicate`: the recipient has had the message before, or may have had it; `unsent`: no server was asked, and the reply
   * says whether a later attempt may succeed.
   */
  readonly state: AttemptOutcome | 'duplicate' | 'suppressed' | 'unsent'
  readonly reply: Reply
  /** The earlier delivery of a duplicate. */
  readonly original?: OriginalDelivery
  /** How long the server asks to wait before the next attempt; null if it does not. */
  readonly retryAfterMs?: number | null
  /** When an attempt can be made; undefined if one was made, or the time is unknown. In milliseconds since the epoch. */
  readonly deferredUntil?: number | undefined
  /** What holds the message until a person decides: a brake, or null for a person. Undefined if nothing does. */
  readonly brakeId?: number | null | undefined
  /** The transport of the route; null for the default, undefined if there is none. */
  readonly transportId?: number | null | undefined
  /** The brand that the message has with this transport; undefined if there is none. */
  readonly brand?: number | undefined
  /** Whether nothing was tried because there is no transport, or it cannot be used. */
  readonly waitsForRepair?: boolean
  /** Whether nothing was tried because a limit is reached. */
  readonly isLimited?: boolean
  /** Resolves once a Mautic has answered what the message waits for; undefined if it waits for none. */
  readonly answered?: Promise<unknown>
  /** Undefined if no server was asked, or its answer concerns only the connection. */
  readonly answer?: ServerAnswer | undefined
  /** Why the attempt failed; null if it did not. */
  readonly fault?: Fault | null
}

/** Reports a recipient whom a server answered. */
export function reportResult(
  recipient: RecipientResult,
  reason: string | undefined,
): RecipientReport {
  const { address, reply: answered } = recipient
  const state = outcomeOf(recipient)
  return { address, state, reply: replyTo(recipient, reason), answer: { reply: answered } }
}

/** Reports the recipients of a result; all are answered alike if the server was never asked about them. */
export function reportResults(
  result: DeliveryResult,
  attempt: Pick<RecipientReport, 'transportId' | 'brand' | 'deferredUntil'>,
): RecipientReport[] {
  const { recipients, fault, retryAfterMs } = result
  return recipients.map((recipient) => {
    const report = reportResult(recipient, fault?.message)
    return { ...report, ...attempt, retryAfterMs, fault, answer: answerOf(recipient, result) }
  })
}

function answerOf(
  { reply }: RecipientResult,
  { recipients, fault, member }: DeliveryResult,
): ServerAnswer | undefined {
  if (fault?.scope === 'member') return undefined
  const [, host] = /^smtps?:\/\/(\[[^\]]+\]|[^:/?[]+)/.exec(member) ?? []
  const isHintOfAll = recipients.length === 1
  return { reply, remoteMta: host, hint: isHintOfAll ? fault?.hint : undefined }
}

export function reportUnsent(address: string, reply: Reply): RecipientReport {
  return { address, state: 'unsent', reply }
}

/** RFC 3463, section 3.5: X.4.3, directory server failure. */
export function reportUnanswered(
  address: string,
  { problem, answered }: Unanswered,
  what: string,
): RecipientReport {
  const text = `${problem}, and the message needs ${what}`
  return { ...reportUnsent(address, createReply(451, '4.4.3', text)), answered }
}

export function reportDuplicate({ address, original }: Duplicate): RecipientReport {
  return { address, state: 'duplicate', reply: replyToDuplicate(original), original }
}

/** RFC 3463, section 3.8: X.7.1, delivery not authorized, message refused. */
export function reportSuppressed(recipient: SuppressedRecipient): RecipientReport {
  const { address, reason, suppression } = recipient
  const { unanswered } = suppression
  if (unanswered !== undefined)
    return reportUnanswered(address, unanswered, 'it to know who may get it')
  return { address, state: 'suppressed', reply: createReply(550, '5.7.1', reason) }
}

/** Replaces the reports of some recipients by others. */
export function withReplaced(
  reports: readonly RecipientReport[],
  replacements: readonly RecipientReport[],
): RecipientReport[] {
  const byAddress = new Map(replacements.map((report) => [report.address, report]))
  return reports.map((report) => byAddress.get(report.address) ?? report)
}

function replyToDuplicate({ id, outcome }: OriginalDelivery): Reply {
  switch (outcome) {
    case 'accepted':
      return createReply(250, '2.0.0', `Already delivered (delivery ${id}); not sent again`)
    case 'uncertain': {
      const text = `Delivery ${id} of this message may have arrived; not sent again until it is settled`
      return createReply(451, '4.4.2', text)
    }
    default:
      return createReply(451, '4.4.5', `This message is being sent at the moment (delivery ${id})`)
  }
}

function replyTo(result: RecipientResult, reason: string | undefined): Reply {
  switch (result.outcome) {
    case 'accepted':
      return createReply(250, '2.0.0', acceptedText(result))
    case 'uncertain':
      return createReply(451, '4.4.2', reason ?? 'The message may have arrived; not sent again yet')
    case 'refused':
      return refusal(result, reason)
  }
}

function acceptedText({ reply }: RecipientResult): string {
  return reply === null || reply.text === '' ? 'Accepted' : `Accepted: ${reply.text}`
}

/**
 * Passes on the server's code and text if they concern the sender. A server that requires Mailyard to authenticate, or
 * that closes the connection (421), says nothing about the message.
 */
function refusal({ reply, isPermanent }: RecipientResult, reason: string | undefined): Reply {
  const family = isPermanent ? '5' : '4'
  const isSame = reply?.protocol === 'smtp' && String(reply.code).startsWith(family)
  if (reply !== null && isSame && reply.code !== 421) {
    return createReply(reply.code, statusOf(reply.enhancedCode, family), reply.text)
  }
  const text = reason ?? reply?.text ?? 'The message was refused'
  return isPermanent ? createReply(554, '5.0.0', text) : createReply(451, '4.3.0', text)
}

function statusOf(enhancedCode: string | null, family: string): string {
  const isValid = enhancedCode !== null && /^[245]\.\d{1,3}\.\d{1,3}$/.test(enhancedCode)
  return isValid && enhancedCode.startsWith(family) ? enhancedCode : `${family}.0.0`
}

/** An error that has its reply already. */
export class ReplyError extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(reply.text)
    this.reply = reply
  }
}

const diskFull = createReply(452, '4.3.1', 'The disk of Mailyard is full; try again later')

/** Returns the reply to an error. It is temporary unless the message itself is at fault. */
export function explainError(err: unknown, log: Log): Reply {
  if (err instanceof ReplyError) return err.reply
  if (err instanceof TooLargeToRender) {
    log.info({ reason: err.message }, 'message not rendered')
    return createReply(552, '5.3.4', err.message)
  }
  if (err instanceof TwigError) {
    log.info({ reason: err.message }, 'message not rendered')
    return createReply(451, '4.3.5', `A template in the message cannot be rendered: ${err.message}`)
  }
  if (err instanceof AppError) {
    log.warn({ err }, 'message not relayed')
    if (isDiskFull(err)) return diskFull
    return createReply(451, '4.3.0', err.message)
  }
  log.error({ err }, 'message not relayed')
  return createReply(
    451,
    '4.3.0',
    'An unexpected error occurred; the log has the details. Try again later',
  )
}
