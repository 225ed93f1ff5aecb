import type { DeliverSubmission, Submission } from '../delivery/index.ts'
import {
  createReply,
  explainError,
  isPermanent,
  type ReadSubmission,
  type RecipientReport,
  type Reply,
  readSubmission,
} from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { SmtpMode } from '../kit/smtp-mode.ts'
import { within } from '../kit/within.ts'
import { endAction } from './notify-result.ts'
import type { Queue } from './queue.ts'
import { nextStep, queuedTransportId, waitsForOf } from './retry-schedule.ts'
import { laneOf, type QueuedRecipient } from './store-message.ts'

/** The answer for one recipient. */
export interface RecipientReply {
  readonly address: string
  readonly reply: Reply
}

export interface SubmitReport {
  replies: readonly RecipientReply[]
  /** Call it once the client has received a 250; undefined if nothing depends on it. */
  acknowledge: (() => void) | undefined
}

/** Delivers or stores a message that was submitted over SMTP. It does not throw. */
export type Submit = (submission: Submission, mode: SmtpMode) => Promise<SubmitReport>

export interface SubmitOptions {
  deliverSubmission: DeliverSubmission
  queue: Pick<Queue, 'add' | 'notifyUnstored' | 'brakes'>
  clock: Clock
  log: Log
  /** How long a client waits for the server in the mode `hybrid`, and for tokens of a limit. */
  waitMs: number
  markAcknowledged: (messageKeys: readonly string[]) => void
}

/** PHP's clients give up after 60 seconds. */
const directWaitMs = 50_000

export function createSubmit(options: SubmitOptions): Submit {
  const { log, markAcknowledged } = options
  const modes = {
    direct: createSubmitDirect(options),
    queue: createSubmitToQueue(options),
    hybrid: createSubmitHybrid(options),
  }
  return async (submission, mode) => {
    try {
      const read = readSubmission(submission)
      const replies = await modes[mode](read)
      const isIdentifiedByBytes = read.message.head.messageId === undefined
      if (!isIdentifiedByBytes) return { replies, acknowledge: undefined }
      const keys = submission.recipients.map((address) => read.keysOf(address).messageKey)
      return { replies, acknowledge: () => markAcknowledged(keys) }
    } catch (err) {
      const reply = explainError(err, log)
      const replies = submission.recipients.map((address) => ({ address, reply }))
      return { replies, acknowledge: undefined }
    }
  }
}

type SubmitRead = (read: ReadSubmission) => Promise<readonly RecipientReply[]>

function createSubmitDirect(options: SubmitOptions): SubmitRead {
  return async (read) => {
    const { attempt, count } = attemptNow(read, options)
    const reports = await within(directWaitMs, attempt.then(count))
    if (reports !== undefined) return reports
    return read.submission.recipients.map((address) => ({ address, reply: stillSending }))
  }
}

/** Makes an attempt while the client waits, unless a brake holds the message. `count` counts its outcome for the brakes. */
function attemptNow(read: ReadSubmission, { deliverSubmission, queue, waitMs }: SubmitOptions) {
  const { sender, submitter } = read.submission
  const message = { lane: laneOf(read), sender, mautic_id: submitter.mautic?.id ?? 0 }
  const attempt = deliverSubmission(read, {
    limitWaitMs: waitMs,
    admit: ({ transportId }) => queue.brakes.find(message, transportId),
  })
  const count = (reports: readonly RecipientReport[]) => {
    for (const report of reports) queue.brakes.count(message, report)
    return reports
  }
  return { attempt, count }
}

const stillSending = createReply(
  451,
  '4.4.5',
  'The server of the transport has not answered yet; the message is still being sent',
)

function createSubmitToQueue(options: SubmitOptions): SubmitRead {
  const store = createStore(options)
  return (read) => {
    const { recipients } = read.submission
    return store(read, { recipients: recipients.map((address) => ({ address, state: 'queued' })) })
  }
}

/**
 * Makes the first attempt while the client waits. What the server refuses for good is passed on; everything else that is
 * not accepted is stored, also if the attempt takes too long. If only some recipients are refused, the reply is 250, and
 * the sender is notified of them.
 */
function createSubmitHybrid(options: SubmitOptions): SubmitRead {
  const { queue, waitMs, clock } = options
  const store = createStore(options)
  return async (read) => {
    const { attempt, count } = attemptNow(read, options)
    const reports = await within(waitMs, attempt)
    if (reports === undefined) {
      const recipients = read.submission.recipients.map((address) => {
        return { address, state: 'claimed' as const }
      })
      return store(read, { recipients, reports: attempt })
    }
    count(reports)
    const facts = () => ({ now: clock.now(), attempts: 0, random: Math.random() })
    const toStore = reports.flatMap((report) => queuedRecipient(report, facts()))
    const stored = toStore.length === 0 ? [] : await store(read, { recipients: toStore })
    const byAddress = new Map(stored.map((each) => [each.address, each]))
    const replies = reports.map((report) => byAddress.get(report.address) ?? report)
    const refused = replies.every(({ reply }) => reply.code !== 250)
      ? []
      : reports.filter(({ address, reply }) => !byAddress.has(address) && isPermanent(reply))
    const { notification, deliverBy } = read.submission
    const isAsked = notification !== undefined || deliverBy !== undefined
    const accepted = isAsked ? reports.filter(({ state }) => state === 'accepted') : []
    const messageId = stored.find(({ newMessageId }) => newMessageId !== undefined)?.newMessageId
    await queue.notifyUnstored(read, [...accepted, ...refused], messageId)
    return replies.map((each) => {
      const report = refused.find(({ address }) => address === each.address)
      if (report === undefined) return each
      return passedOver(report, endAction(report, notification) !== undefined)
    })
  }
}

/** SMTP has one reply for all recipients: a refusal would make the client repeat the message for the others. */
function passedOver({ address, reply }: RecipientReply, isNotified: boolean): RecipientReply {
  const text = `Refused (${reply.code} ${reply.status})`
  const notice = isNotified ? '; the sender is notified' : ''
  return { address, reply: createReply(250, '2.0.0', `${text}${notice}`) }
}

/** Returns how a recipient is stored after the first attempt; nothing if its outcome is final. */
function queuedRecipient(
  report: RecipientReport,
  facts: Parameters<typeof nextStep>[1],
): QueuedRecipient[] {
  const step = nextStep(report, facts)
  const { address, reply } = report
  const problem = `${reply.code} ${reply.status} ${reply.text}`
  const about = { address, problem, transport_id: queuedTransportId(report) }
  const waits_for = waitsForOf(report)
  if (step.kind === 'uncertain') return [{ ...about, state: 'uncertain', attempts: 1 }]
  if (step.kind === 'done') return []
  return [{ ...about, state: 'queued', attempts: step.attempts, due_at: step.dueAt, waits_for }]
}

interface StoredReply extends RecipientReply {
  /** The message that was stored; undefined if it was stored before, or is not stored. */
  newMessageId?: number | undefined
}

function createStore({ queue, log }: SubmitOptions) {
  return async (
    read: ReadSubmission,
    what: { recipients: readonly QueuedRecipient[]; reports?: Promise<readonly RecipientReport[]> },
  ): Promise<StoredReply[]> => {
    const added = await queue.add({ read, ...what })
    if (added === undefined)
      return what.recipients.map(({ address }) => ({ address, reply: queueFull }))
    const [first] = added
    const recipients = added.filter(({ id }) => id !== undefined).length
    if (recipients > 0) log.info({ queueId: first?.messageId, recipients }, 'message queued')
    return added.map(({ address, id, messageId }) => {
      const text = id === undefined ? 'Stored before' : 'Stored'
      return {
        address,
        reply: createReply(250, '2.0.0', `${text} as message ${messageId}`),
        newMessageId: id === undefined ? undefined : messageId,
      }
    })
  }
}

const queueFull = createReply(
  452,
  '4.3.1',
  'The queue is full (MAILYARD_QUEUE_MEGABYTES); try again later',
)
