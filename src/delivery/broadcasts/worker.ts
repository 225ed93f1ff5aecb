import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import { createOutage } from '../../kit/outage.ts'
import { pause } from '../../kit/pause.ts'
import { isUnstorable, type Storage } from '../../storage/index.ts'
import type { Lease } from '../log/lease.ts'
import { type OnUnattempted, reportUnattempted } from '../unattempted.ts'
import { outcomeOf, type PermittedMessage, sendPermitted, withdraw } from './attempt.ts'
import { Batch, commitBatch, commitSingly, type SentMessage, SentMessages } from './batch.ts'
import { recordBounces } from './bounced-recipients.ts'
import type { BroadcastState, BroadcastStore } from './broadcast-store.ts'
import {
  type ClaimContext,
  claimRecipients,
  releaseAllClaims,
  type StartedAttempts,
} from './claims.ts'
import { countsOf } from './counts.ts'
import { type BroadcastStop, JobRunner, type JobRunnerParts } from './job-runner.ts'
import { prepareBroadcast } from './prepare.ts'
import { isWithdrawn } from './transport-throttle.ts'

export interface WorkerOptions extends Omit<JobRunnerParts, 'onTokens'> {
  storage: Storage
  store: BroadcastStore
  log: Log
  lease: Pick<Lease, 'hold'>
  onUnattempted?: OnUnattempted
}

/** How long outcomes wait for others, to be written in one transaction. */
const gatherMs = 4
/** How long messages in flight may take when the process stops, and how long a lost database is waited for. */
const graceMs = 10_000
const lastRetryMs = 250

/**
 * Sends what is due, concurrently with the workers of other processes. Its `JobRunner`s, one for each broadcast, add
 * rendered messages to the worker's `Batch`. The worker commits the batch in one transaction, together with the outcomes of
 * sent messages, and then sends the messages. So a message costs a small part of one commit, and after a kill only the
 * messages in flight are uncertain; see `TransportThrottle`.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #runners = new Map<number, JobRunner>()
  readonly #stopping = new AbortController()
  readonly #sent: SentMessages
  #batch = new Batch()
  #inFlight = 0
  #isStopped = false
  #isGathering = false
  #isWoken = false
  #waiting: AbortController | undefined
  #lookedUpAt = Number.NEGATIVE_INFINITY
  #lastBroadcastId = 0
  /** Whether the answer to a claim was lost: recipients may be claimed that no runner has. */
  #hasLostClaims = false
  /** Whether a commit has failed, or its answer was lost. */
  #hasFailedBatch = false
  #running: Promise<void> = Promise.resolve()

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#sent = new SentMessages((sent) => this.#settle(sent), options.log)
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Makes the worker look up due broadcasts immediately. */
  wake(): void {
    this.#lookedUpAt = Number.NEGATIVE_INFINITY
    this.#endWait()
  }

  /** Waits until `#endWait` is called; at most `timeoutMs`. */
  async #wait(timeoutMs: number): Promise<void> {
    if (!this.#isWoken) {
      this.#waiting = new AbortController()
      await sleep(timeoutMs, undefined, { signal: this.#waiting.signal }).catch(() => undefined)
    }
    this.#isWoken = false
  }

  /** Ends the current wait, or the next one immediately. */
  #endWait(): void {
    this.#isWoken = true
    this.#waiting?.abort()
  }

  /** Stops claiming, returns unsent claims to the queue and waits for messages in flight; cancels them after a grace period. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.wake()
    await this.#running
    const deadline = performance.now() + graceMs
    const timeout = setTimeout(() => this.#stopping.abort(), graceMs)
    this.#releaseAll()
    while (this.#inFlight > 0) {
      await this.#writeLast()
      await this.#wait(this.#options.intervals.idleMs)
    }
    clearTimeout(timeout)
    // A lost database may be back before the process has to end.
    while (!(await this.#writeLast()) && performance.now() < deadline) await sleep(lastRetryMs)
  }

  /** Writes all that is left; returns whether it is written. */
  async #writeLast(): Promise<boolean> {
    try {
      this.#sent.settleKept()
      await this.#write()
      await releaseAllClaims(this.#context())
      return this.#batch.isEmpty
    } catch (err) {
      this.#options.log.warn({ err }, 'last broadcast outcomes not written')
      return false
    }
  }

  async #run(): Promise<void> {
    const outage = createOutage(this.#options.log, {
      level: 'error',
      failed: 'broadcast worker interrupted',
      recovered: 'broadcast worker resumed',
    })
    const { idleMs } = this.#options.intervals
    while (!this.#isStopped) {
      try {
        const isBusy = await this.#work()
        outage.recover()
        // Sockets are processed even while the database answers immediately.
        await pause()
        await this.#wait(isBusy ? gatherMs : idleMs)
      } catch (err) {
        outage.report(err)
        if (!this.#isStopped) await sleep(idleMs, undefined, { signal: this.#stopping.signal })
      }
    }
  }

  /** Fills and writes one batch; returns whether anything was done. */
  async #work(): Promise<boolean> {
    this.#sent.settleKept()
    // A failed batch first: if its recipients were claimed again before it is written, they would count twice.
    if (this.#hasFailedBatch) await this.#write()
    if (this.#hasLostClaims) await this.#releaseLostClaims()
    await this.#lookUp()
    let hasPrepared = false
    try {
      for (const runner of this.#runners.values()) {
        const isPreparing = await this.#advanceSafely(runner)
        hasPrepared ||= isPreparing
      }
    } catch (error) {
      this.#putBack(this.#batch.takeMessages())
      throw error
    }
    this.#rotate()
    const hasWritten = await this.#write()
    return hasWritten || hasPrepared
  }

  /** Moves the first runner to the end, so that none is always last. */
  #rotate(): void {
    const [first] = this.#runners
    if (first === undefined || this.#runners.size < 2) return
    this.#runners.delete(first[0])
    this.#runners.set(...first)
  }

  /** Looks up which broadcasts run: adds runners for new ones, and removes those that have ended or are idle. */
  async #lookUp(): Promise<void> {
    if (performance.now() - this.#lookedUpAt < this.#options.intervals.lookMs) return
    this.#lookedUpAt = performance.now()
    const { store, clock } = this.#options
    const found = await store.findDue(this.#lastBroadcastId, clock.now())
    this.#lastBroadcastId = found.at(-1)?.id ?? 0
    // An email that ended another process would end this one too: leave it alone until that process expires.
    const marked = await this.#options.renderMarks.findOthers()
    const due = found.filter(({ id }) => !marked.has(id) || this.#runners.has(id))
    const dueIds = new Set(due.map(({ id }) => id))
    const others = [...this.#runners.keys()].filter((id) => !dueIds.has(id))
    const running = await store.findRunning(others)
    for (const state of due) this.#runnerOf(state).hasNothingDue = false
    for (const state of running) this.#runnerOf(state)
    const ids = new Set([...due, ...running].map(({ id }) => id))
    await this.#logFinished(others.filter((id) => !ids.has(id)))
    // A runner stays until its outcomes are written: they may finish the broadcast, which is logged at the next look.
    const unwritten = new Set(this.#batch.outcomes.map(({ broadcastId }) => broadcastId))
    for (const [id, runner] of this.#runners) {
      await this.#saveProblem(runner)
      const isBusy = runner.claimBuffer.size > 0 || runner.inFlight > 0 || unwritten.has(id)
      const isIdle = !isBusy && clock.now() >= runner.backOffUntil
      const isOver = !ids.has(id) || (!dueIds.has(id) && isIdle)
      if (isOver) this.#remove(runner)
    }
  }

  async #logFinished(ids: readonly number[]): Promise<void> {
    const { store, log } = this.#options
    for (const state of await store.findDone(ids)) {
      const durationMs = (state.finished_at ?? state.created_at) - state.created_at
      log.info({ broadcastId: state.id, ...countsOf(state), durationMs }, 'broadcast finished')
    }
  }

  #runnerOf(state: BroadcastState): JobRunner {
    const onTokens = () => this.#endWait()
    const runner =
      this.#runners.get(state.id) ?? new JobRunner(state, { ...this.#options, onTokens })
    this.#runners.set(state.id, runner)
    runner.state = state
    return runner
  }

  /** Removes a runner and returns its claims to the queue. */
  #remove(runner: JobRunner): void {
    this.#batch.release(runner.takeClaims(), this.#options.clock.now())
    this.#runners.delete(runner.state.id)
  }

  async #saveProblem({ state, problem }: JobRunner): Promise<void> {
    if (problem === undefined || problem === state.problem) return
    await this.#options.store.setProblem(state.id, problem)
    state.problem = problem
  }

  /** An unexpected error of one broadcast must not stop the others; a lost database stops all. */
  async #advanceSafely(runner: JobRunner): Promise<boolean> {
    try {
      return await this.#advance(runner)
    } catch (err) {
      if (err instanceof AppError && err.kind === 'upstream') throw err
      this.#options.log.error({ err, broadcastId: runner.state.id }, 'broadcast failed')
      runner.backOff(this.#batch)
      return false
    }
  }

  /** Adds recipients of a new broadcast, claims some and renders messages. Returns whether recipients were added. */
  async #advance(runner: JobRunner): Promise<boolean> {
    const { storage, clock } = this.#options
    if (clock.now() < runner.backOffUntil) return false
    const isPreparing = !runner.state.is_prepared
    if (isPreparing) {
      const isPrepared = await prepareBroadcast(storage, runner.state, clock.now())
      runner.state = { ...runner.state, is_prepared: isPrepared }
      runner.hasNothingDue = false
      await pause()
    }
    await this.#claim(runner)
    const stop = await runner.addMessages(this.#batch)
    if (stop !== undefined) await this.#stopBroadcast(runner, stop)
    return isPreparing
  }

  async #claim(runner: JobRunner): Promise<void> {
    const { log, store } = this.#options
    const wanted = runner.hasNothingDue ? 0 : runner.claimBuffer.wanted()
    if (wanted === 0) return
    const hadLostClaims = this.#hasLostClaims
    this.#hasLostClaims = true
    const claims = await claimRecipients(runner.state, wanted, this.#context())
    this.#hasLostClaims = hadLostClaims
    runner.addClaims(claims)
    if (claims.length > 0 || !runner.state.is_prepared) return
    runner.hasNothingDue = true
    runner.refuseUnrenderable(this.#batch)
    await store.updateDueAt(runner.state.id, this.#options.clock.now())
    log.debug({ broadcastId: runner.state.id }, 'broadcast has nothing due')
  }

  async #stopBroadcast(runner: JobRunner, stop: BroadcastStop): Promise<void> {
    const { store, clock, log } = this.#options
    const { id } = runner.state
    this.#remove(runner)
    await store.stop(id, { ...stop, now: clock.now() })
    log.info({ broadcastId: id, problem: stop.problem }, `broadcast ${stop.status}`)
  }

  /** Commits the batch and sends its messages; returns whether there was anything. */
  async #write(): Promise<boolean> {
    const batch = this.#batch
    this.#batch = new Batch()
    const isLeaseValid = this.#options.lease.hold()
    try {
      const started = await commitBatch(batch, this.#context())
      this.#hasFailedBatch = false
      recordBounces(batch.outcomes, this.#options)
      reportUnattempted(batch.outcomes, this.#options.onUnattempted)
      for (const each of batch.messages)
        this.#send(each, started.get(each.claim.broadcastId), isLeaseValid)
    } catch (error) {
      this.#putBack(batch.messages)
      this.#batch.addFailed(batch)
      this.#hasFailedBatch = true
      if (isUnstorable(error)) {
        const { log } = this.#options
        const outcomes = this.#batch.takeOutcomes()
        for (const each of await commitSingly(outcomes, this.#context(), log))
          this.#batch.addOutcome(each)
      }
      throw error
    }
    return !batch.isEmpty
  }

  /** Returns messages that are not sent to their runners; they are rendered again. */
  #putBack(messages: readonly PermittedMessage[]): void {
    for (const { claim, through, permit } of messages) {
      withdraw({ through, permit })
      const runner = this.#runners.get(claim.broadcastId)
      if (runner === undefined) this.#batch.release([claim], this.#options.clock.now())
      else runner.claimBuffer.putBack([claim])
    }
  }

  #send(
    ready: PermittedMessage,
    started: StartedAttempts | undefined,
    isLeaseValid: () => boolean,
  ): void {
    const { claim, through } = ready
    if (started?.contactIds.has(claim.contactId) !== true) {
      withdraw(ready)
      // A paused or cancelled broadcast keeps the claim; otherwise another process has it now.
      if (started?.isStopped === true) this.#batch.release([claim], this.#options.clock.now())
      return
    }
    const runner = this.#runners.get(claim.broadcastId)
    if (runner !== undefined) runner.inFlight += 1
    this.#inFlight += 1
    const startedAt = this.#options.clock.now()
    through.throttle.startSending()
    sendPermitted(ready, { signal: this.#stopping.signal, isLeaseValid })
      .then((result) => this.#sent.settle({ ready, result, startedAt }))
      .finally(() => {
        this.#inFlight -= 1
        this.#gather()
      })
      .catch((err: unknown) => this.#options.log.error({ err }, 'transport threw an error'))
  }

  /** Adds the outcome of a sent message to the batch. The lines that may throw come first: it is called again then. */
  #settle({ ready, result, startedAt }: SentMessage): void {
    const { claim, through } = ready
    const now = this.#options.clock.now()
    const outcome = outcomeOf(ready, { result, startedAt }, this.#options)
    through.throttle.settle(result)
    const runner = this.#runners.get(claim.broadcastId)
    if (runner !== undefined) runner.inFlight = Math.max(0, runner.inFlight - 1)
    if (isWithdrawn(result)) {
      this.#batch.release([claim], now)
      return
    }
    this.#batch.addOutcome(outcome)
    if (runner === undefined) return
    if (result.fault?.scope === 'member') runner.problem = result.fault.message
    else runner.problem = null
  }

  /** Wakes the worker once all results are there, or the first has waited long enough. */
  #gather(): void {
    if (this.#batch.outcomes.length >= this.#inFlight) {
      this.#endWait()
      return
    }
    if (this.#isGathering) return
    this.#isGathering = true
    setTimeout(() => {
      this.#isGathering = false
      this.#endWait()
    }, gatherMs)
  }

  /** Returns the claims of all runners to the queue. */
  #releaseAll(): void {
    const now = this.#options.clock.now()
    for (const runner of this.#runners.values()) this.#batch.release(runner.takeClaims(), now)
  }

  /** Returns all claims to the queue, even those whose answer was lost. */
  async #releaseLostClaims(): Promise<void> {
    this.#releaseAll()
    await this.#write()
    await releaseAllClaims(this.#context())
    this.#hasLostClaims = false
  }

  #context(): ClaimContext {
    const { storage, processId, clock } = this.#options
    return { storage, processId, now: clock.now() }
  }
}
