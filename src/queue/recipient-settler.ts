import type { RecipientReport } from '../delivery/index.ts'
import { createReply, replyLine } from '../delivery/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { type Log, maskAddresses } from '../kit/log.ts'
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

/** Writes again until the database accepts it. */
export type WriteUntilDone = (write: () => Promise<unknown>) => Promise<void>

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
   */
  async settle(
    message: MessageFacts,
    results: readonly AttemptResult[],
    write: WriteUntilDone,
  ): Promise<number> {
    const { store, notices } = this.#options
    // Recipients that are put off together are due together, so that they share the next attempt.
    const random = this.#options.random()
    const settlements: Settlement[] = []
    const decideAll = results.map((result) =>
      write(async () => settlements.push(await this.#decide(result, random))),
    )
    await Promise.all(decideAll)
    const dueAts: number[] = []
    const settleAll = settlements.map((settlement) =>
      write(async () => dueAts.push((await store.settle(settlement)) ?? Number.POSITIVE_INFINITY)),
    )
    await Promise.all(settleAll)
    const isDone = settlements.some(({ state }) => state === 'done')
    const hasNotice = settlements.some((each) => each.state === 'done' && each.notice !== undefined)
    if (isDone) await notices.finish(message.id, hasNotice)
    return Math.min(...dueAts)
  }

  async #decide(result: AttemptResult, random: number): Promise<Settlement> {
    const { clock, log, brakes } = this.#options
    const { message, recipient } = result
    const { id } = recipient
    const report = result.report ?? reportFailure(result)
    const now = clock.now()
    brakes.noteAttempt(message, report)
    const step = await this.#findStep(result, report, random)
    const problem = replyLine(report.reply)
    if (step.kind === 'done') return endOf(result, report, now)
    const expiresAt = message.expires_at
    const stay = {
      id,
      problem,
      transportId: queuedTransportId(report),
      waitsFor: waitsForOf(report),
    }
    if (step.kind === 'uncertain') {
      const reason = maskAddresses(problem)
      log.warn({ queueId: message.id, reason }, 'queued message uncertain')
      const attempts = recipient.attempts + 1
      return { ...stay, state: 'uncertain', dueAt: expiresAt, attempts }
    }
    const { attempts } = step
    if (report.brakeId !== undefined)
      return { ...stay, state: 'held', brakeId: report.brakeId, dueAt: step.dueAt, attempts }
    if (now >= expiresAt) return this.#expire(result, report)
    const dueAt = Math.min(step.dueAt, expiresAt)
    const retryInMs = dueAt - now
    if (attempts > recipient.attempts)
      log.info(
        { queueId: message.id, attempts, retryInMs, reason: maskAddresses(problem) },
        'message deferred',
      )
    return { ...stay, state: 'queued', dueAt, attempts }
  }

  /** Finds what follows an attempt; allows another one of an uncertain message where the settings say so. */
  async #findStep(
    { message, recipient }: AttemptResult,
    report: RecipientReport,
    random: number,
  ): Promise<NextStep> {
    const { store, clock, retriesUncertain } = this.#options
    const facts = { now: clock.now(), attempts: recipient.attempts, random }
    const step = nextStep(report, facts)
    const isRetried = retriesUncertain && message.lane === 'transactional'
    if (step.kind !== 'uncertain' || !isRetried) return step
    await store.releaseUncertain(recipient.message_key)
    return nextStep({ ...report, state: 'deferred' }, facts)
  }

  /** The delivery log gets the outcome of a recipient that has expired. */
  #expire(result: AttemptResult, report: RecipientReport): Settlement {
    const { clock, log } = this.#options
    const { message, recipient } = result
    const outcome: UnattemptedOutcome = {
      outcome: 'expired',
      message,
      address: recipient.address,
      reason: `The message was not delivered in time. The last answer: ${replyLine(report.reply)}`,
    }
    log.info({ queueId: message.id, attempts: recipient.attempts }, 'message expired')
    const at = clock.now()
    const notice = { ...describeFailure(report, at), hasExpired: true }
    return {
      id: recipient.id,
      state: 'done',
      notice,
      expired: { outcome, at },
    }
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
  return isIdentifiedByBytes ? { messageKey: recipient.message_key, at } : undefined
}

function reportFailure({ recipient, failure }: AttemptResult): RecipientReport {
  const text = failure instanceof AppError ? failure.message : 'An unexpected error occurred.'
  return { address: recipient.address, state: 'unsent', reply: createReply(451, '4.3.0', text) }
}
