import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import { pause } from '../../kit/pause.ts'
import { WorkLoop } from '../../kit/work-loop.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import { type DeliverThroughOptions, deliverThrough } from '../deliver.ts'
import { createGroupCommit } from '../log/group-commit.ts'
import { openRetriedWrites } from '../log/retried-writes.ts'
import type { DeliveryTables } from '../table.ts'
import type { OnUnattempted } from '../unattempted.ts'
import {
  type PermittedMessage,
  recordUnsent,
  requestOf,
  type SettleOptions,
  settlementOf,
  type UnsentRecipient,
} from './attempt.ts'
import type { BroadcastState, BroadcastStore } from './broadcast-store.ts'
import { type Claim, type ClaimContext, claimRecipients } from './claims.ts'
import { countsOf } from './counts.ts'
import { type BroadcastStop, JobRunner, type JobRunnerParts, type Outbox } from './job-runner.ts'
import { prepareBroadcast } from './prepare.ts'
import { type Release, releaseAll, releaseRecipients } from './recipient-states.ts'

export interface WorkerOptions
  extends Omit<JobRunnerParts, 'onTokens'>,
    SettleOptions,
    Omit<DeliverThroughOptions, 'stopping'> {
  storage: Storage
  store: BroadcastStore
  log: Log
  processId: string
  /** The sender of emails without one. */
  defaultFrom: string
  onUnattempted?: OnUnattempted
}

/** The most messages that are rendered at a time: it blocks everything else for some milliseconds. */
const messagesMax = 40
/** How long the worker waits for other outcomes after the first: their transports take several messages then. */
const gatherMs = 4
/** How long messages in flight may take when the process stops, and how long a lost database is waited for. */
const graceMs = 10_000

/**
 * Sends the recipients of broadcasts that are due, concurrently with the workers of other processes. Its `JobRunner`s, one for
 * each broadcast, render messages to claimed recipients. Each message is sent as any other (`deliverThrough`): many starts
 * share a commit, and many outcomes. After a kill only the messages in flight are uncertain; see `TransportThrottle`.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #runners = new Map<number, JobRunner>()
  readonly #stopping = new AbortController()
  readonly #loop: WorkLoop
  readonly #releases: ReturnType<typeof openReleases>
  readonly #delivering: DeliverThroughOptions
  #inFlight = 0
  /** The messages that have ended since the worker has looked. */
  #ended = 0
  #isGathering = false
  #lookedUpAt = Number.NEGATIVE_INFINITY
  #lastBroadcastId = 0
  /** Whether the answer to a claim was lost: recipients may be claimed that no runner has. */
  #hasLostClaims = false

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#loop = new WorkLoop({
      work: () => this.#work(),
      idleMs: options.intervals.idleMs,
      log: options.log,
      events: { failed: 'broadcast worker interrupted', recovered: 'broadcast worker resumed' },
    })
    this.#releases = openReleases(options)
    this.#delivering = { ...options, stopping: this.#stopping.signal }
  }

  start(): void {
    this.#loop.start()
  }

  /** Makes the worker look up due broadcasts immediately. */
  wake(): void {
    this.#lookedUpAt = Number.NEGATIVE_INFINITY
    this.#loop.wake()
  }

  /** Stops claiming, returns unsent claims to the queue and waits for messages in flight; cancels them after a grace period. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    const timeout = setTimeout(() => this.#stopping.abort(), graceMs)
    for (const runner of this.#runners.values()) this.#release(runner.takeClaims())
    while (this.#inFlight > 0) await this.#loop.wait(this.#options.intervals.idleMs)
    clearTimeout(timeout)
    // If the database is lost, another process recovers the claims.
    await this.#releases.drain(graceMs)
    this.#releases.close()
    await this.#releaseAll().catch((err: unknown) => {
      this.#options.log.warn({ err }, 'broadcast claims not released')
    })
  }

  /** Renders and sends what there is capacity for; returns how long to wait. */
  async #work(): Promise<number> {
    this.#ended = 0
    if (this.#hasLostClaims) await this.#releaseLostClaims()
    await this.#lookUp()
    const outbox = new Sending((message) => void this.#send(message), this.#release)
    let hasPrepared = false
    try {
      for (const runner of this.#runners.values()) {
        const isPreparing = await this.#advanceSafely(runner, outbox)
        hasPrepared ||= isPreparing
      }
    } finally {
      await this.#recordUnsent(outbox.unsent)
    }
    this.#rotate()
    const isBusy = outbox.sent + outbox.unsent.length > 0 || hasPrepared
    return isBusy ? gatherMs : this.#options.intervals.idleMs
  }

  async #recordUnsent(unsent: readonly UnsentRecipient[]): Promise<void> {
    const { onUnattempted } = this.#options
    try {
      await recordUnsent(unsent, this.#context())
      for (const { outcome } of unsent) onUnattempted?.({ source: 'broadcast', outcome })
    } catch (error) {
      this.#release(unsent.map(({ claim }) => claim))
      throw error
    }
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
    await this.#logEnded(others.filter((id) => !ids.has(id)))
    // A runner stays until its outcomes are written: they may finish the broadcast, which is logged at the next look.
    for (const [id, runner] of this.#runners) {
      await this.#saveProblem(runner)
      const isBusy = runner.claimBuffer.size > 0 || runner.inFlight > 0
      const isIdle = !isBusy && clock.now() >= runner.backOffUntil
      const isOver = !ids.has(id) || (!dueIds.has(id) && isIdle)
      if (isOver) this.#remove(runner)
    }
  }

  async #logEnded(ids: readonly number[]): Promise<void> {
    const { store, log } = this.#options
    for (const state of await store.findEnded(ids)) {
      if (state.state === 'paused') {
        const { id: broadcastId, brake_attempts: attempts, brake_refused: refused } = state
        log.warn({ broadcastId, attempts, refused }, 'broadcast paused by its brake')
        continue
      }
      const durationMs = (state.finished_at ?? state.created_at) - state.created_at
      log.info({ broadcastId: state.id, ...countsOf(state), durationMs }, 'broadcast finished')
    }
  }

  #runnerOf(state: BroadcastState): JobRunner {
    const onTokens = () => this.#loop.wake()
    const runner =
      this.#runners.get(state.id) ?? new JobRunner(state, { ...this.#options, onTokens })
    this.#runners.set(state.id, runner)
    runner.state = state
    return runner
  }

  /** Removes a runner and returns its claims to the queue. */
  #remove(runner: JobRunner): void {
    this.#release(runner.takeClaims())
    this.#runners.delete(runner.state.id)
  }

  async #saveProblem({ state, problem }: JobRunner): Promise<void> {
    if (problem === undefined || problem === state.problem) return
    await this.#options.store.setProblem(state.id, problem)
    state.problem = problem
  }

  /** An unexpected error of one broadcast must not stop the others; a lost database stops all. */
  async #advanceSafely(runner: JobRunner, outbox: Outbox): Promise<boolean> {
    try {
      return await this.#advance(runner, outbox)
    } catch (err) {
      if (err instanceof AppError && err.kind === 'upstream') throw err
      this.#options.log.error({ err, broadcastId: runner.state.id }, 'broadcast failed')
      runner.backOff(outbox)
      return false
    }
  }

  /** Adds recipients of a new broadcast, claims some and renders messages. Returns whether recipients were added. */
  async #advance(runner: JobRunner, outbox: Outbox): Promise<boolean> {
    const { storage, clock, defaultFrom } = this.#options
    if (clock.now() < runner.backOffUntil) return false
    const isPreparing = !runner.state.is_prepared
    if (isPreparing) {
      const isPrepared = await prepareBroadcast(storage, runner.state, {
        now: clock.now(),
        defaultFrom,
      })
      runner.state = { ...runner.state, is_prepared: isPrepared }
      runner.hasNothingDue = false
      await pause()
    }
    await this.#claim(runner, outbox)
    const stop = await runner.sendMessages(outbox)
    if (stop !== undefined) await this.#stopBroadcast(runner, stop)
    return isPreparing
  }

  async #claim(runner: JobRunner, outbox: Outbox): Promise<void> {
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
    runner.refuseUnrenderable(outbox)
    await store.updateDueAt(runner.state.id, this.#options.clock.now())
    log.debug({ broadcastId: runner.state.id }, 'broadcast has nothing due')
  }

  async #stopBroadcast(runner: JobRunner, stop: BroadcastStop): Promise<void> {
    const { store, clock, log } = this.#options
    const { id } = runner.state
    this.#remove(runner)
    await store.stop(id, { ...stop, now: clock.now() })
    log.info({ broadcastId: id, problem: stop.problem }, `broadcast ${stop.state}`)
  }

  /** Sends a message, which settles its recipient, and returns the claim to the queue if nothing was sent. It does not throw. */
  async #send(ready: PermittedMessage): Promise<void> {
    const { claim, through, permit } = ready
    const { clock, log } = this.#options
    const { throttle, openTransport, route } = through
    const runner = this.#runners.get(claim.broadcastId)
    if (runner !== undefined) runner.inFlight += 1
    this.#inFlight += 1
    let isStarted = false
    const gather = () => this.#gather()
    try {
      const startedAt = clock.now()
      const request = {
        ...requestOf(ready),
        settle: (result: DeliveryResult) =>
          settlementOf(claim, { result, startedAt }, this.#options),
        async beforeSend() {
          isStarted = true
          throttle.startSending()
          // The transport may take the next message while it sends this one.
          gather()
        },
      }
      const limited = { openTransport, permit, route }
      const { result } = await deliverThrough(request, limited, this.#delivering)
      if (runner !== undefined && result !== undefined) runner.noteResult(result)
    } catch (err) {
      if (isStarted) log.error({ err }, 'transport threw an error')
      else log.debug({ err, broadcastId: claim.broadcastId }, 'attempt not started')
    }
    permit.release()
    if (isStarted) throttle.finish()
    else {
      throttle.release()
      this.#release([claim])
    }
    if (runner !== undefined) runner.inFlight -= 1
    this.#inFlight -= 1
    this.#ended += 1
    this.#gather()
  }

  /** Wakes the worker once all messages have ended, or the first change has waited long enough for others. */
  #gather(): void {
    if (this.#ended >= this.#inFlight) {
      this.#loop.wake()
      return
    }
    if (this.#isGathering) return
    this.#isGathering = true
    setTimeout(() => {
      this.#isGathering = false
      this.#loop.wake()
    }, gatherMs)
  }

  /** Returns claims to the queue. Those of started attempts stay. */
  readonly #release = (recipients: readonly Claim[], dueAt?: number): void => {
    if (recipients.length > 0) this.#releases.add({ recipients, dueAt })
  }

  /** Returns all claims to the queue, even those whose answer was lost. */
  async #releaseLostClaims(): Promise<void> {
    for (const runner of this.#runners.values()) runner.takeClaims()
    await this.#releaseAll()
    this.#hasLostClaims = false
  }

  #releaseAll(): Promise<unknown> {
    const { storage, processId, clock } = this.#options
    return storage.transaction((tx: Transaction<DeliveryTables>) =>
      releaseAll(tx, [processId], clock.now()),
    )
  }

  #context(): ClaimContext {
    const { storage, processId, clock } = this.#options
    return { storage, processId, now: clock.now() }
  }
}

/** The messages of one turn of the worker, which are sent at once, and what else becomes of claims. */
class Sending implements Outbox {
  readonly unsent: UnsentRecipient[] = []
  readonly release: Outbox['release']
  sent = 0
  readonly #send: (message: PermittedMessage) => void

  constructor(send: (message: PermittedMessage) => void, release: Outbox['release']) {
    this.#send = send
    this.release = release
  }

  get isFull(): boolean {
    return this.sent >= messagesMax
  }

  send(message: PermittedMessage): void {
    this.sent += 1
    this.#send(message)
  }

  end(unsent: UnsentRecipient): void {
    this.unsent.push(unsent)
  }
}

/** Opens the writes that return claims to the queue, in few transactions. They are retried while the database is lost. */
function openReleases({ storage, log, processId, clock }: WorkerOptions) {
  const write = createGroupCommit(storage).batched(async (tx, releases: readonly Release[]) => {
    const context = { storage, processId, now: clock.now() }
    await releaseRecipients(tx, releases, context)
    return releases.map(() => undefined)
  })
  const writes = openRetriedWrites(log, {
    failed: 'broadcast claims not released',
    recovered: 'broadcast claims released again',
  })
  return {
    ...writes,
    add(release: Release) {
      writes
        .run(() => write(release))
        .catch((err: unknown) => {
          log.error({ err }, 'broadcast claims not released')
        })
    },
  }
}
