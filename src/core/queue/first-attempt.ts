import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { within } from '../../kit/within.ts'
import {
  type RecipientReport,
  replyLine,
  type Submission,
  type SubmissionDeliverer,
} from '../delivery/index.ts'
import type { AddedRecipient } from './add-messages.ts'
import type { BrakedMessage } from './brakes/bulk-group.ts'
import type { Queue, StoreRequest } from './queue.ts'
import { nextStep, queuedTransportId, waitsForOf } from './retry-schedule.ts'
import { laneOf, type QueuedRecipient } from './store-message.ts'

/** A recipient after the first attempt: it is stored, or the report is the answer. */
export interface AttemptedRecipient {
  address: string
  /** Undefined while the attempt goes on. */
  report: RecipientReport | undefined
  /** Where it is in the queue; undefined if it is not stored. */
  stored: AddedRecipient | undefined
  /** Why it is not stored although it should be; undefined otherwise. */
  unstored: 'full' | AppError | undefined
}

export interface FirstAttemptOptions {
  submissionDeliverer: Pick<SubmissionDeliverer, 'deliver'>
  queue: Pick<Queue, 'add' | 'expectAnswer' | 'routeChanges' | 'gateOf' | 'brakes'>
  clock: Clock
  /** How long the sender waits for the server, and for tokens of a limit. */
  waitMs: number
}

export interface FirstAttemptRequest {
  /** Whether a recipient that was not accepted, and not refused for good, is stored. Default: it is. */
  isStored?: (report: RecipientReport) => boolean
  /** Whether the sender goes on waiting where the message cannot be stored. Default: false. */
  waitsUnstored?: boolean
}

/** Makes the first attempt of a message while its sender waits, and stores what was not delivered in time. */
export class FirstAttempt {
  readonly #options: FirstAttemptOptions

  constructor(options: FirstAttemptOptions) {
    this.#options = options
  }

  /**
   * Makes the attempt, unless a brake or a person holds the message. Call `countForBrakes` with the reports. Throws an AppError
   * (`upstream`) if the database is lost before the message is sent.
   */
  async attempt(submission: Submission): Promise<readonly RecipientReport[]> {
    const { submissionDeliverer, queue, waitMs } = this.#options
    const gate = queue.gateOf(brakedMessage(submission))
    return submissionDeliverer.deliver(submission, { limitWaitMs: waitMs, gate })
  }

  /** Lets the brakes count an attempt that no queued recipient is settled with. */
  countForBrakes(submission: Submission, reports: readonly RecipientReport[]): void {
    const message = brakedMessage(submission)
    for (const report of reports) this.#options.queue.brakes.noteAttempt(message, report)
  }

  /** Makes the attempt, and stores the recipients that it does not settle in time. */
  async attemptOrStore(
    submission: Submission,
    { isStored = () => true, waitsUnstored = false }: FirstAttemptRequest = {},
  ): Promise<AttemptedRecipient[]> {
    const { clock, queue, waitMs } = this.#options
    const changes = queue.routeChanges
    const attempt = this.attempt(submission)
    const reports = await within(waitMs, attempt)
    if (reports === undefined) {
      const recipients = submission.recipients.map((address) => {
        return { address, state: 'claimed' as const }
      })
      const added = await this.#add({ submission, recipients, reports: attempt, changes })
      const isUnstored = added === 'full' || added instanceof AppError
      const late = isUnstored && waitsUnstored ? await attempt : []
      return recipients.map(({ address }) => {
        const report = late.find((each) => each.address === address)
        return { address, report, ...placeOf(added, address) }
      })
    }
    this.countForBrakes(submission, reports)
    const facts = { now: clock.now(), attempts: 0 }
    const toStore = reports.flatMap((report) => {
      const recipient = queuedRecipient(report, { ...facts, random: Math.random() })
      return recipient !== undefined && isStored(report) ? [recipient] : []
    })
    const added =
      toStore.length === 0 ? [] : await this.#add({ submission, recipients: toStore, changes })
    const addresses = new Set(toStore.map(({ address }) => address))
    return reports.map((report) => {
      const { address } = report
      const place = addresses.has(address) ? placeOf(added, address) : notStored
      if (place.stored?.id !== undefined) queue.expectAnswer(place.stored.id, report)
      return { address, report, ...place }
    })
  }

  async #add(request: StoreRequest): Promise<readonly AddedRecipient[] | 'full' | AppError> {
    try {
      return (await this.#options.queue.add(request)) ?? 'full'
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }
}

function brakedMessage(submission: Submission): BrakedMessage {
  const { sender, submitter } = submission
  return { lane: laneOf(submission), sender, mautic_id: submitter.mautic?.id ?? 0 }
}

const notStored = { stored: undefined, unstored: undefined }

function placeOf(
  added: readonly AddedRecipient[] | 'full' | AppError,
  address: string,
): Pick<AttemptedRecipient, 'stored' | 'unstored'> {
  if (added === 'full' || added instanceof AppError) return { stored: undefined, unstored: added }
  return { stored: added.find((each) => each.address === address), unstored: undefined }
}

/** Returns how a recipient is stored after the first attempt; undefined if its outcome is final. */
function queuedRecipient(
  report: RecipientReport,
  facts: Parameters<typeof nextStep>[1],
): QueuedRecipient | undefined {
  const step = nextStep(report, facts)
  if (step.state === 'done') return undefined
  const { address, reply, brand } = report
  const stored = {
    address,
    problem: replyLine(reply),
    transport_id: queuedTransportId(report),
    ...(brand !== undefined && { brand_id: brand }),
  }
  if (step.state === 'uncertain') return { ...stored, state: 'uncertain', attempts: 1 }
  const { attempts, dueAt: due_at } = step
  return { ...stored, state: 'queued', attempts, due_at, waits_for: waitsForOf(report) }
}
