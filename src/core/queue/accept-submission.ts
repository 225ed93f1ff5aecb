import { AppError } from '../../kit/app-error.ts'
import type { Brands } from '../../kit/caller.ts'
import { type Log, withoutRedaction } from '../../kit/log.ts'
import type { SmtpMode } from '../../kit/smtp-mode.ts'
import { within } from '../../kit/within.ts'
import type { Installation } from '../../platform/installation/index.ts'
import type { CheckSender } from '../brands/index.ts'
import {
  createReply,
  explainError,
  isPermanent,
  type NewSubmission,
  type RecipientReport,
  type Reply,
  ReplyError,
  readSubmission,
  type Submission,
} from '../delivery/index.ts'
import type { AddedRecipient } from './add-messages.ts'
import type { AttemptedRecipient, FirstAttempt } from './first-attempt.ts'
import { isNotified } from './notices.ts'
import type { Queue } from './queue.ts'

/** The answer for one recipient. */
export interface RecipientReply {
  readonly address: string
  readonly reply: Reply
}

export interface AcceptReport {
  replies: readonly RecipientReply[]
  /** Call it once the client has received a 250; undefined if nothing depends on it. */
  acknowledge: (() => void) | undefined
}

export interface SubmissionAcceptorOptions {
  firstAttempt: FirstAttempt
  queue: Pick<Queue, 'add' | 'notices'>
  installation: Pick<Installation, 'check' | 'unconfirmed'>
  log: Log
  markAcknowledged: (messageKeys: readonly string[]) => void
  /** See `SendingBrands`. */
  checkSender: CheckSender
}

/** PHP's clients give up after 60 seconds. */
const directWaitMs = 50_000

/** Accepts submissions over SMTP: delivers or stores them. */
export class SubmissionAcceptor {
  readonly #options: SubmissionAcceptorOptions
  readonly #plainLog: Log

  constructor(options: SubmissionAcceptorOptions) {
    this.#options = options
    this.#plainLog = withoutRedaction(options.log)
  }

  /** Delivers or stores a message, if the brands of its log-in may send it. It does not throw. */
  async accept(
    received: NewSubmission,
    { mode, brands }: { mode: SmtpMode; brands: Brands },
  ): Promise<AcceptReport> {
    const { installation, log, markAcknowledged, checkSender } = this.#options
    try {
      const read = readSubmission(received)
      const sent = await checkSender(brands, read.message)
      if ('problem' in sent) throw new ReplyError(createReply(550, '5.7.1', sent.problem))
      const submission = { ...read, submitter: { ...read.submitter, brand: sent.brand } }
      if (mode === 'direct') installation.check()
      const isHeld = installation.unconfirmed !== undefined
      const replies = await this.#accept(submission, isHeld ? 'queue' : mode)
      const isIdentifiedByBytes = submission.message.head.messageId === undefined
      if (!isIdentifiedByBytes) return { replies, acknowledge: undefined }
      const keys = submission.recipients.map((address) => submission.keysOf(address).messageKey)
      return { replies, acknowledge: () => markAcknowledged(keys) }
    } catch (err) {
      const reply = explainError(err, log)
      const replies = received.recipients.map((address) => ({ address, reply }))
      return { replies, acknowledge: undefined }
    }
  }

  #accept(submission: Submission, mode: SmtpMode): Promise<readonly RecipientReply[]> {
    switch (mode) {
      case 'direct':
        return this.#deliver(submission)
      case 'queue':
        return this.#store(submission)
      case 'hybrid':
        return this.#deliverOrStore(submission)
    }
  }

  async #deliver(submission: Submission): Promise<readonly RecipientReply[]> {
    const { firstAttempt } = this.#options
    const attempt = firstAttempt.attempt(submission).then((reports) => {
      firstAttempt.countForBrakes(submission, reports)
      return reports
    })
    const reports = await within(directWaitMs, attempt)
    if (reports !== undefined) return reports
    return submission.recipients.map((address) => ({ address, reply: stillSending }))
  }

  async #store(submission: Submission): Promise<readonly RecipientReply[]> {
    const recipients = submission.recipients.map((address) => {
      return { address, state: 'queued' as const }
    })
    const added = await this.#options.queue.add({ submission, recipients })
    if (added === undefined) return recipients.map(({ address }) => ({ address, reply: queueFull }))
    this.#logStored(added)
    return added.map((each) => ({ address: each.address, reply: storedReply(each) }))
  }

  /**
   * What the server refuses for good is passed on; everything else that is not accepted is stored, also if the attempt takes
   * too long. If only some recipients are refused, the reply is 250, and the sender is notified of them.
   */
  async #deliverOrStore(submission: Submission): Promise<readonly RecipientReply[]> {
    const { firstAttempt, queue } = this.#options
    const attempted = await firstAttempt.attemptOrStore(submission)
    this.#logStored(attempted.flatMap(({ stored }) => stored ?? []))
    const replies = attempted.map((each) => ({ address: each.address, reply: replyOf(each) }))
    const isAccepted = replies.some(({ reply }) => reply.code === 250)
    const settled = attempted.flatMap(({ report, stored }) =>
      report === undefined || stored !== undefined ? [] : [report],
    )
    const refused = isAccepted ? settled.filter(({ reply }) => isPermanent(reply)) : []
    const stored = attempted.find((each) => each.stored?.id !== undefined)?.stored
    await queue.notices.addUnstored(submission, refused, stored?.messageId)
    return replies.map((each) => {
      const report = refused.find(({ address }) => address === each.address)
      return report === undefined ? each : passedOver(report)
    })
  }

  #logStored(added: readonly AddedRecipient[]): void {
    const recipients = added.filter(({ id }) => id !== undefined).length
    const queueId = added[0]?.messageId
    if (recipients > 0) this.#plainLog.info({ queueId, recipients }, 'message queued')
  }
}

function replyOf({ report, stored, unstored }: AttemptedRecipient): Reply {
  if (unstored instanceof AppError) throw unstored
  if (unstored === 'full') return queueFull
  if (stored !== undefined) return storedReply(stored)
  return report?.reply ?? stillSending
}

function storedReply({ id, messageId }: AddedRecipient): Reply {
  const text = id === undefined ? 'Stored before' : 'Stored'
  return createReply(250, '2.0.0', `${text} as message ${messageId}`)
}

/** SMTP has one reply for all recipients: a refusal would make the client repeat the message for the others. */
function passedOver(report: RecipientReport): RecipientReply {
  const { address, reply } = report
  const text = `Refused (${reply.code} ${reply.status})`
  const notice = isNotified(report) ? '; the sender is notified' : ''
  return { address, reply: createReply(250, '2.0.0', `${text}${notice}`) }
}

const stillSending = createReply(
  451,
  '4.4.5',
  'The server of the transport has not answered yet; the message is still being sent',
)

const queueFull = createReply(
  452,
  '4.3.1',
  'The queue is full (MAILYARD_QUEUE_MEGABYTES); try again later',
)
