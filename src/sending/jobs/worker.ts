import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import { pause } from '../../kit/pause.ts'
import { createTrouble } from '../../kit/trouble.ts'
import { isUnstorable, type Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { attemptOf, judgeResult, type ReadyMessage } from './attempt.ts'
import {
  type Begun,
  begin,
  type Claim,
  type ClaimContext,
  claim,
  release,
  releaseAll,
} from './claims.ts'
import { countsOf } from './counts.ts'
import { type JobOutcome, recordOutcomes } from './outcomes.ts'
import { prepareSending } from './prepare.ts'
import { type Halt, type Round, Run, type RunParts } from './run.ts'
import type { SendingState, SendingStore } from './sending-store.ts'
import { type SentMessage, SentMessages } from './sent-messages.ts'
import type { SendingTables } from './table.ts'
import { createWakeup } from './wakeup.ts'

/** What a worker is made of. */
export interface WorkerOptions extends RunParts {
  storage: Storage
  store: SendingStore
  log: Log
}

const unstorableOutcome =
  'the database does not take an outcome: once this process has ended, its delivery is uncertain and can be settled'
/** Sendings are looked for so often: while there is something to do, and while there is nothing. */
const lookMs = 250
const idleMs = 1_000
/** Outcomes wait so long for others, to be written down together. */
const gatherMs = 4
/** What is under way when the process is told to stop has so long to end by itself. */
const graceMs = 10_000

/**
 * Sends what is due, side by side with the workers of other processes. It works in rounds, of one
 * transaction each: what became of the messages that have left, and which messages leave next. So a
 * message costs a small part of one commit, and what is in doubt should the process die is what its
 * lanes have under way; see `Lane`.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #runs = new Map<number, Run>()
  readonly #wakeup = createWakeup()
  readonly #stopping = new AbortController()
  #outcomes: JobOutcome[] = []
  #returned: Round['returned'] = []
  readonly #sent: SentMessages
  #underWay = 0
  #isStopped = false
  #isGathering = false
  #lookedAt = Number.NEGATIVE_INFINITY
  #lastLooked = 0
  /** A claim may have been made of which nobody knows. */
  #hasStrays = false
  /** A write failed, or its end was not heard of. */
  #hasUnwritten = false
  #running: Promise<void> = Promise.resolve()

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#sent = new SentMessages((sent) => this.#settle(sent), options.log)
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Looks at once whether there is something to send. */
  wake(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY
    this.#wakeup.wake()
  }

  /** Takes nothing more, gives back what was not begun, and lets what is under way end. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.wake()
    await this.#running
    const cut = setTimeout(() => this.#stopping.abort(), graceMs)
    for (const run of this.#runs.values()) this.#giveBack(run.takeClaims())
    while (this.#underWay > 0) {
      await this.#writeLast()
      await this.#wakeup.wait(idleMs)
    }
    clearTimeout(cut)
    await this.#writeLast()
  }

  /** Whoever has told the process to stop may kill it in the midst: nothing waits for what is slow. */
  async #writeLast(): Promise<void> {
    try {
      this.#sent.settleKept()
      await this.#write({ ready: [], outcomes: [], returned: [] })
      await releaseAll(this.#context())
    } catch (err) {
      this.#options.log.warn({ err }, 'what was sent last could not be written down')
    }
  }

  async #run(): Promise<void> {
    const trouble = createTrouble(this.#options.log, {
      level: 'error',
      begun: 'sending to many was interrupted; it is tried again each second',
      over: 'sending to many goes on',
    })
    while (!this.#isStopped) {
      try {
        const isBusy = await this.#work()
        trouble.end()
        // Sockets have their turn, whatever the database takes.
        await pause()
        await this.#wakeup.wait(isBusy ? gatherMs : idleMs)
      } catch (err) {
        trouble.meet(err)
        if (!this.#isStopped) await sleep(idleMs, undefined, { signal: this.#stopping.signal })
      }
    }
  }

  /** One round; returns whether anything was done. */
  async #work(): Promise<boolean> {
    this.#sent.settleKept()
    // First, what may be written already: once its recipients were claimed again it would count twice.
    if (this.#hasUnwritten) await this.#write({ ready: [], outcomes: [], returned: [] })
    if (this.#hasStrays) await this.#releaseStrays()
    await this.#look()
    const round: Round = { ready: [], outcomes: [], returned: [] }
    let hasPrepared = false
    try {
      for (const run of this.#runs.values()) {
        const isPreparing = await this.#advanceAlone(run, round)
        hasPrepared ||= isPreparing
      }
    } catch (error) {
      this.#undo(round)
      throw error
    }
    // Nobody is always last.
    this.#rotate()
    const hasWritten = await this.#write(round)
    return hasWritten || hasPrepared
  }

  #rotate(): void {
    const [first] = this.#runs
    if (first === undefined || this.#runs.size < 2) return
    this.#runs.delete(first[0])
    this.#runs.set(...first)
  }

  /** Finds out what runs. What does no longer gives back what it has claimed. */
  async #look(): Promise<void> {
    if (performance.now() - this.#lookedAt < lookMs) return
    this.#lookedAt = performance.now()
    const { store, clock } = this.#options
    const found = await store.findDue(this.#lastLooked, clock.now())
    this.#lastLooked = found.at(-1)?.id ?? 0
    // One whose email ended another process would end this one: it is left alone until that is known.
    const marked = await this.#options.renderMarks.findOthers()
    const due = found.filter(({ id }) => !marked.has(id) || this.#runs.has(id))
    const dueIds = new Set(due.map(({ id }) => id))
    const others = [...this.#runs.keys()].filter((id) => !dueIds.has(id))
    const running = await store.findRunning(others)
    for (const state of due) this.#runOf(state).isDrained = false
    for (const state of running) this.#runOf(state)
    const ids = new Set([...due, ...running].map(({ id }) => id))
    await this.#reportDone(others.filter((id) => !ids.has(id)))
    for (const [id, run] of this.#runs) {
      await this.#tellProblem(run)
      const isHeld = clock.now() < run.heldUntil
      const isIdle = run.stock.size === 0 && run.underWay === 0 && !isHeld
      const isOver = !ids.has(id) || (!dueIds.has(id) && isIdle)
      if (!isOver) continue
      this.#giveBack(run.takeClaims())
      this.#runs.delete(id)
    }
  }

  async #reportDone(ids: readonly number[]): Promise<void> {
    const { store, log } = this.#options
    for (const state of await store.findDone(ids)) {
      const durationMs = (state.finished_at ?? state.created_at) - state.created_at
      log.info({ broadcastId: state.id, ...countsOf(state), durationMs }, 'broadcast finished')
    }
  }

  #runOf(state: SendingState): Run {
    const run = this.#runs.get(state.id) ?? new Run(state, this.#options)
    this.#runs.set(state.id, run)
    run.state = state
    return run
  }

  async #tellProblem({ state, problem }: Run): Promise<void> {
    if (problem === undefined || problem === state.problem) return
    await this.#options.store.setProblem(state.id, problem)
    state.problem = problem
  }

  /** What goes wrong with one sending, other than a lost database, keeps no other from going on. */
  async #advanceAlone(run: Run, round: Round): Promise<boolean> {
    try {
      return await this.#advance(run, round)
    } catch (err) {
      if (err instanceof AppError && err.kind === 'upstream') throw err
      this.#options.log.error({ err, sending: run.state.id }, 'a sending met a fault')
      run.rest(round)
      return false
    }
  }

  /** Writes down more of its contacts, claims some, and makes ready what may leave. */
  async #advance(run: Run, round: Round): Promise<boolean> {
    const { storage, clock } = this.#options
    if (clock.now() < run.heldUntil) return false
    const isPreparing = !run.state.is_prepared
    if (isPreparing) {
      const isPrepared = await prepareSending(storage, run.state, clock.now())
      run.state = { ...run.state, is_prepared: isPrepared }
      run.isDrained = false
      await pause()
    }
    await this.#claim(run, round)
    const halt = await run.fill(round)
    if (halt !== undefined) await this.#halt(run, halt)
    return isPreparing
  }

  async #claim(run: Run, round: Round): Promise<void> {
    const { log, store } = this.#options
    const wanted = run.isDrained ? 0 : run.stock.wanted()
    if (wanted === 0) return
    const hadStrays = this.#hasStrays
    this.#hasStrays = true
    const claims = await claim(run.state, wanted, this.#context())
    this.#hasStrays = hadStrays
    run.put(claims)
    if (claims.length > 0 || !run.state.is_prepared) return
    run.isDrained = true
    run.refuseUnrenderable(round)
    await store.rest(run.state.id, this.#options.clock.now())
    log.debug({ sending: run.state.id }, 'nothing of a sending is due')
  }

  async #halt(run: Run, halt: Halt): Promise<void> {
    const { store, clock, log } = this.#options
    this.#giveBack(run.takeClaims())
    await store.halt(run.state.id, { ...halt, now: clock.now() })
    this.#runs.delete(run.state.id)
    const { status, problem } = halt
    log.info({ broadcastId: run.state.id, problem }, `broadcast ${status}`)
  }

  /** Writes down what a round has come to, and lets leave what may; returns whether there was anything. */
  async #write({ ready, outcomes: settled, returned: given }: Round): Promise<boolean> {
    const round = {
      ready,
      outcomes: [...this.#outcomes.splice(0), ...settled],
      returned: [...this.#returned.splice(0), ...given],
    }
    try {
      const begun = await this.#commit(round)
      this.#hasUnwritten = false
      for (const each of ready) this.#leave(each, begun.get(each.claim.sendingId))
    } catch (error) {
      this.#undo(round)
      this.#hasUnwritten = true
      if (isUnstorable(error)) await this.#writeSingly()
      throw error
    }
    return ready.length + round.outcomes.length + round.returned.length > 0
  }

  /** One outcome that no database takes keeps no other from being written down: it is told, and left. */
  async #writeSingly(): Promise<void> {
    for (const outcome of this.#outcomes.splice(0)) {
      try {
        await this.#commit({ ready: [], outcomes: [outcome], returned: [] })
      } catch (err) {
        const { sendingId: sending, contactId: contact } = outcome
        if (isUnstorable(err)) this.#options.log.error({ err, sending, contact }, unstorableOutcome)
        else this.#outcomes.push(outcome)
      }
    }
  }

  async #commit({ ready, outcomes, returned }: Round): Promise<Map<number, Begun>> {
    const context = this.#context()
    for (const { claims, dueAt } of returned) await release(claims, context, dueAt)
    if (outcomes.length === 0 && ready.length === 0) return new Map()
    const { now } = context
    const leaving = ready.map((each) => ({ claim: each.claim, attempt: attemptOf(each, now) }))
    return context.storage.transaction(async (tx: Transaction<SendingTables & DeliveryTables>) => {
      await recordOutcomes(tx, outcomes, context)
      return begin(tx.withTables<SendingTables>(), leaving, context)
    })
  }

  /** Nothing of a round is known to be written: all is kept for the next. */
  #undo(round: Round): void {
    this.#outcomes.unshift(...round.outcomes)
    this.#returned.unshift(...round.returned)
    for (const { claim, exit } of round.ready) {
      exit.lane.giveUp()
      const run = this.#runs.get(claim.sendingId)
      if (run === undefined) this.#giveBack([claim])
      else run.stock.putBack([claim])
    }
  }

  #leave(ready: ReadyMessage, begun: Begun | undefined): void {
    const { claim, exit } = ready
    if (begun?.contactIds.has(claim.contactId) !== true) {
      exit.lane.giveUp()
      // Where it was paused or cancelled it is still claimed; else somebody else has taken it.
      if (begun?.isStopped === true) this.#giveBack([claim])
      return
    }
    const run = this.#runs.get(claim.sendingId)
    if (run !== undefined) run.underWay += 1
    this.#underWay += 1
    const startedAt = this.#options.clock.now()
    exit.lane.handOver()
    exit.outlet
      .send(ready.message, { signal: this.#stopping.signal })
      .then((result) => this.#sent.settle({ ready, result, startedAt }))
      .finally(() => {
        this.#underWay -= 1
        this.#gather()
      })
      .catch((err: unknown) => this.#options.log.error({ err }, 'a transport threw an error'))
  }

  /** All that may throw comes first: it is done once more then. */
  #settle({ ready, result, startedAt }: SentMessage): void {
    const { claim, exit } = ready
    const isCancelled = result.outcome === 'refused' && result.fault?.code === 'cancelled'
    const given = { claims: [claim], dueAt: this.#options.clock.now() }
    const outcome = judgeResult(ready, { result, startedAt }, this.#options)
    exit.lane.settle(result)
    const run = this.#runs.get(claim.sendingId)
    if (run !== undefined) run.underWay = Math.max(0, run.underWay - 1)
    if (isCancelled) {
      this.#returned.push(given)
      return
    }
    this.#outcomes.push(outcome)
    if (run === undefined) return
    if (result.fault?.scope === 'member') run.problem = result.fault.message
    else run.problem = null
  }

  #giveBack(claims: Claim[]): void {
    if (claims.length > 0) this.#returned.push({ claims, dueAt: this.#options.clock.now() })
  }

  /** Wakes the worker once there are enough outcomes, or the first has waited long enough. */
  #gather(): void {
    if (this.#outcomes.length >= this.#underWay) {
      this.#wakeup.wake()
      return
    }
    if (this.#isGathering) return
    this.#isGathering = true
    setTimeout(() => {
      this.#isGathering = false
      this.#wakeup.wake()
    }, gatherMs)
  }

  /** Gives back all that is claimed, also what nobody knows of: the answer to its claim was lost. */
  async #releaseStrays(): Promise<void> {
    for (const run of this.#runs.values()) this.#giveBack(run.takeClaims())
    await this.#write({ ready: [], outcomes: [], returned: [] })
    await releaseAll(this.#context())
    this.#hasStrays = false
  }

  #context(): ClaimContext {
    const { storage, processId, clock } = this.#options
    return { storage, processId, now: clock.now() }
  }
}
