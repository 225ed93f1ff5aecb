import type { Transaction } from 'kysely'
import type { Log } from '../../kit/log.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import { isUnstorable } from '../../storage/index.ts'
import { reduceOutcome } from '../log/finish-attempts.ts'
import type { DeliveryTables } from '../table.ts'
import { attemptOf, type PermittedMessage } from './attempt.ts'
import {
  type Claim,
  type ClaimContext,
  releaseClaims,
  type StartedAttempts,
  startAttempts,
} from './claims.ts'
import { type AttemptOutcome, recordOutcomes } from './outcomes.ts'
import type { BroadcastTables } from './table.ts'

/**
 * Everything that waits for the worker's next transaction. Job runners and finished messages only add to it; the worker
 * takes it as a whole, commits it (`commitBatch`) and starts a new one.
 */
export class Batch {
  readonly #messages: PermittedMessage[] = []
  readonly #outcomes: AttemptOutcome[] = []
  readonly #releases: { claims: readonly Claim[]; dueAt: number }[] = []

  get messages(): readonly PermittedMessage[] {
    return this.#messages
  }

  get outcomes(): readonly AttemptOutcome[] {
    return this.#outcomes
  }

  get releases(): readonly { claims: readonly Claim[]; dueAt: number }[] {
    return this.#releases
  }

  get isEmpty(): boolean {
    return this.#messages.length + this.#outcomes.length + this.#releases.length === 0
  }

  /** Adds a message, which is sent once the batch is committed. */
  addMessage(message: PermittedMessage): void {
    this.#messages.push(message)
  }

  addOutcome(outcome: AttemptOutcome): void {
    this.#outcomes.push(outcome)
  }

  /** Returns claims to the queue; they are due again at `dueAt`. */
  release(claims: readonly Claim[], dueAt: number): void {
    if (claims.length > 0) this.#releases.push({ claims, dueAt })
  }

  /** Removes the messages and returns them: they are not sent. */
  takeMessages(): PermittedMessage[] {
    return this.#messages.splice(0)
  }

  takeOutcomes(): AttemptOutcome[] {
    return this.#outcomes.splice(0)
  }

  /** Adds the outcomes and releases of a batch whose commit has failed, before its own. */
  addFailed(batch: Batch): void {
    this.#outcomes.unshift(...batch.#outcomes)
    this.#releases.unshift(...batch.#releases)
  }
}

/** Writes a batch. Returns the recipients who may be sent their messages, by broadcast. It may be repeated after a failure. */
export async function commitBatch(
  { messages, outcomes, releases }: Batch,
  context: ClaimContext,
): Promise<Map<number, StartedAttempts>> {
  for (const { claims, dueAt } of releases) await releaseClaims(claims, context, dueAt)
  if (outcomes.length === 0 && messages.length === 0) return new Map()
  const { now } = context
  const pending = messages.map((each) => ({ claim: each.claim, attempt: attemptOf(each, now) }))
  return context.storage.transaction(async (tx: Transaction<BroadcastTables & DeliveryTables>) => {
    await recordOutcomes(tx, outcomes, context)
    return startAttempts(tx.withTables<BroadcastTables>(), pending, context)
  })
}

/**
 * Writes each outcome by itself. Of one that the database cannot store, the words of the server are left out. Returns those
 * that have to be tried again.
 */
export async function commitSingly(
  outcomes: readonly AttemptOutcome[],
  context: ClaimContext,
  log: Log,
): Promise<AttemptOutcome[]> {
  const commit = async (outcome: AttemptOutcome) => {
    const single = new Batch()
    single.addOutcome(outcome)
    await commitBatch(single, context)
  }
  const left: AttemptOutcome[] = []
  for (const outcome of outcomes) {
    const { broadcastId, contactId, delivery } = outcome
    try {
      await commit(outcome).catch(async (err: unknown) => {
        if (!isUnstorable(err)) throw err
        log.error({ err, broadcastId, contactId }, 'broadcast outcome reduced')
        await commit({ ...outcome, delivery: reduceOutcome(delivery) })
      })
    } catch (err) {
      if (isUnstorable(err))
        log.error({ err, broadcastId, contactId }, 'broadcast outcome not stored')
      else left.push(outcome)
    }
  }
  return left
}

/** A message that was sent, and its result. */
export interface SentMessage {
  ready: PermittedMessage
  result: DeliveryResult
  startedAt: number
}

/** Settles sent messages. If that throws, it keeps the result and tries again: a server's answer must not be lost. */
export class SentMessages {
  readonly #settle: (sent: SentMessage) => void
  readonly #log: Log
  #kept: SentMessage[] = []

  /** `settle` must change nothing before the last line that can throw. */
  constructor(settle: (sent: SentMessage) => void, log: Log) {
    this.#settle = settle
    this.#log = log
  }

  settle(sent: SentMessage): void {
    try {
      this.#settle(sent)
    } catch (err) {
      this.#kept.push(sent)
      const { broadcastId, contactId } = sent.ready.claim
      this.#log.error({ err, broadcastId, contactId }, 'broadcast outcome kept for retry')
    }
  }

  /** Tries again to settle what was kept. */
  settleKept(): void {
    for (const sent of this.#kept.splice(0)) {
      try {
        this.#settle(sent)
      } catch {
        this.#kept.push(sent)
      }
    }
  }
}
