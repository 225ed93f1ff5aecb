import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Log, maskAddresses } from '../../kit/log.ts'
import type { RecipientReport, RetriedWrites } from '../delivery/index.ts'
import { createReply, replyLine } from '../delivery/index.ts'
import type { BulkBrakes } from './brakes/bulk-brakes.ts'
import { describeFailure, isNotified, type Notices } from './notices.ts'
import type { UnattemptedOutcome } from './outcome-row.ts'
import type { ClaimedRecipient, MessageFacts, QueueStore, Settlement } from './queue-store.ts'
import { type NextStep, nextStep, queuedTransportId, waitsForOf } from './retry-schedule.ts'

/** The result of an attempt for one recipient. */
export interface AttemptResult {
  message: MessageFacts
  recipient: ClaimedRecipient
  /** Undefined if the attempt threw an error. */
  report: RecipientReport | undefined
  failure: unknown
}

export interface RecipientSettlerOptions {
  store: Pick<QueueStore, 'settle' | 'releaseUncertain'>
  clock: Clock
  log: Log
  /** Returns a number from 0 to 1, exclusive. */
  random: () => number
  notices: Pick<Notices, 'finish'>
  brakes: Pick<BulkBrakes, 'noteAttempt'>
  /** Whether a transactional message whose outcome is uncertain is sent again. */
  retriesUncertain: boolean
}

/** Decides what follows an attempt for each of its recipients, and writes it. */
export class RecipientSettler {
  readonly #options: RecipientSettlerOptions

  constructor(options: RecipientSettlerOptions) {
    this.#options = options
  }

  /**
   * Records the results of one attempt; the sender is notified once the message has no recipient left.
   * Returns when the first recipient is due again; infinity if none is.
   *
   * @param write writes until the database accepts it
   */
  async settle(
    message: MessageFacts,
    results: readonly AttemptResult[],
    write: RetriedWrites['run'],
  ): Promise<number> {
    // Recipients that are put off together are due together, so that they share the next attempt.
    const random = this.#options.random()
    const settled = await Promise.all(
      results.map((result) => this.#settleOne(result, random, write)),
    )
    const settlements = settled.map(({ settlement }) => settlement)
    const isDone = settlements.some(({ state }) => state === 'done')
    const hasNotice = settlements.some((each) => each.state === 'done' && each.notice !== undefined)
    if (isDone) await this.#options.notices.finish(message.id, hasNotice)
    return Math.min(...settled.map(({ dueAt = Number.POSITIVE_INFINITY }) => dueAt))
  }

  /** Allows another attempt of an uncertain message where the settings say so. */
  async #settleOne(result: AttemptResult, random: number, write: RetriedWrites['run']) {
    const { store, clock, brakes, retriesUncertain } = this.#options
    const { message, recipient, report = reportFailure(result) } = result
    brakes.noteAttempt(message, report)
    const facts = { now: clock.now(), attempts: recipient.attempts, random }
    let step = nextStep(report, facts)
    if (step.state === 'uncertain' && retriesUncertain && message.lane === 'transactional') {
      await write(() => store.releaseUncertain(recipient.message_key))
      step = nextStep({ ...report, state: 'deferred' }, facts)
    }
    const settlement = this.#decide(result, report, step)
    return { settlement, dueAt: await write(() => store.settle(settlement)) }
  }

  #decide(result: AttemptResult, report: RecipientReport, step: NextStep): Settlement {
    const { clock, log } = this.#options
    const { message, recipient } = result
    const now = clock.now()
    const problem = replyLine(report.reply)
    if (step.state === 'done') return endOf(result, report, now)
    const expiresAt = message.expires_at
    const transportId = queuedTransportId(report)
    const { brand = recipient.brand_id } = report
    const stay = { id: recipient.id, problem, transportId, brand, waitsFor: waitsForOf(report) }
    if (step.state === 'uncertain') {
      const reason = maskAddresses(problem)
      log.warn({ queueId: message.id, reason }, 'queued message uncertain')
      const attempts = recipient.attempts + 1
      return { ...stay, state: 'uncertain', dueAt: expiresAt, attempts }
    }
    const { attempts } = step
    if (report.brakeId !== undefined)
      return { ...stay, state: 'held', brakeId: report.brakeId, dueAt: step.dueAt, attempts }
    const hasExpired = now >= expiresAt
    // After a long hold all are late at once, and most of them wait for their turn first.
    const isUntried = attempts === recipient.attempts && stay.waitsFor === null
    if (hasExpired && !isUntried) return this.#expire(result, report)
    const dueAt = hasExpired ? step.dueAt : Math.min(step.dueAt, expiresAt)
    const retryInMs = dueAt - now
    if (attempts > recipient.attempts)
      log.info(
        { queueId: message.id, attempts, retryInMs, reason: maskAddresses(problem) },
        'message deferred',
      )
    return { ...stay, state: 'queued', dueAt, attempts }
  }

  /** The delivery log gets the outcome of a recipient that has expired. */
  #expire(result: AttemptResult, report: RecipientReport): Settlement {
    const { clock, log } = this.#options
    const { message, recipient } = result
    const outcome: UnattemptedOutcome = {
      outcome: 'expired',
      message,
      brand: report.brand ?? recipient.brand_id,
      address: recipient.address,
      reason: `The message was not delivered in time. The last answer: ${replyLine(report.reply)}`,
    }
    log.info({ queueId: message.id, attempts: recipient.attempts }, 'message expired')
    const at = clock.now()
    const notice = { ...describeFailure(report, at), hasExpired: true }
    return { id: recipient.id, state: 'done', notice, expired: { outcome, at } }
  }
}

/** What is written of a recipient that has its outcome. */
function endOf(result: AttemptResult, report: RecipientReport, at: number): Settlement {
  const { recipient } = result
  return {
    id: recipient.id,
    state: 'done',
    accepted: acceptedByBytes(result, at),
    notice: isNotified(report) ? describeFailure(report, at) : undefined,
  }
}

/** Returns the key of an accepted message that only its bytes identify. */
function acceptedByBytes({ message, recipient, report }: AttemptResult, at: number) {
  const isIdentifiedByBytes = report?.state === 'accepted' && message.message_id === null
  return isIdentifiedByBytes ? { messageKeys: [recipient.message_key], at } : undefined
}

function reportFailure({ recipient, failure }: AttemptResult): RecipientReport {
  const text = failure instanceof AppError ? failure.message : 'An unexpected error occurred.'
  return { address: recipient.address, state: 'unsent', reply: createReply(451, '4.3.0', text) }
}
