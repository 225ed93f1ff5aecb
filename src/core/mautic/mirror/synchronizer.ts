import { AppError } from '../../../kit/app-error.ts'
import type { Log } from '../../../kit/log.ts'
import { createOutage, type Outage } from '../../../kit/outage.ts'
import { every } from '../../../kit/timers.ts'
import { routesChannel, type Storage } from '../../../platform/storage/index.ts'
import type { MauticClients } from '../client/mautic-clients.ts'
import { MauticError } from '../client/mautic-error.ts'
import type { DoNotContactList, ListRunResult } from '../do-not-contact/do-not-contact-list.ts'
import type { ClaimedState, RunResult, StateStore } from '../state-store.ts'
import type { MauticEmailRow, MauticUserRow, MirrorRow } from '../table.ts'
import type { OwnWebhooks } from '../webhooks/own-webhooks.ts'
import type { MirrorStore } from './mirror-store.ts'
import {
  ReinstalledError,
  reinstalledProblem,
  synchronizeAll,
  synchronizeChanges,
} from './synchronize.ts'

export interface SynchronizerOptions {
  storage: Storage
  log: Log
  clients: MauticClients
  states: StateStore
  emails: MirrorStore<MauticEmailRow>
  users: MirrorStore<MauticUserRow>
  webhooks: Pick<OwnWebhooks, 'inspect'>
  list: Pick<DoNotContactList, 'synchronize'>
}

/** How often each process looks for Mautics that are due. */
const lookMs = 5_000
/** From one reading of changes to the next. */
const changesMs = 60_000
/** From one reading of everything to the next. */
const allMs = 3_600_000

/** Notified after a Mautic was changed. */
export const mauticsChannel = 'mautics'

class StoppedError extends Error {}

/** Copies the emails and users of all Mautics. Of several processes, one reads a Mautic at a time. */
export class Synchronizer {
  readonly #options: SynchronizerOptions
  readonly #outage: Outage
  readonly #running = new Map<number, Promise<void>>()
  readonly #stopping = new AbortController()
  #endLooks: (() => void) | undefined
  #stopListening: (() => void) | undefined

  constructor(options: SynchronizerOptions) {
    this.#options = options
    this.#outage = createOutage(options.log, {
      level: 'warn',
      failed: 'synchronization with Mautic failed',
      recovered: 'synchronization with Mautic restored',
    })
  }

  /** Looks for Mautics that are due, every few seconds. A slow one keeps no other from being read. */
  start(): void {
    const look = () => void this.#runDue().then(this.#outage.recover, this.#outage.report)
    this.#endLooks = every(lookMs, look)
    this.#stopListening = this.#options.storage.listen(mauticsChannel, look)
    look()
  }

  /** Stops after the running request. */
  async stop(): Promise<void> {
    this.#endLooks?.()
    this.#stopListening?.()
    this.#stopping.abort()
    await Promise.allSettled(this.#running.values())
  }

  /** Reads what is due, and waits for what is being read, as a worker. */
  async idle(): Promise<boolean> {
    const { length } = await Promise.allSettled(this.#running.values())
    await this.#runDue()
    return length > 0
  }

  /** Reads everything of a Mautic now. Does nothing where another process reads it at this moment. */
  run(mauticId: number): Promise<void> {
    return this.#run(mauticId, true)
  }

  /** Reads all Mautics that are due. */
  async #runDue(): Promise<void> {
    const due = await this.#options.states.findDue()
    await Promise.all(due.map((mauticId) => this.#run(mauticId, false)))
  }

  #run(mauticId: number, isAll: boolean): Promise<void> {
    const running =
      this.#running.get(mauticId) ??
      this.#runClaimed(mauticId, isAll).finally(() => this.#running.delete(mauticId))
    this.#running.set(mauticId, running)
    return running
  }

  /** Reads one Mautic, if no other process does, and writes how that ended. */
  async #runClaimed(mauticId: number, isAll: boolean): Promise<void> {
    const { states, log, storage } = this.#options
    const { signal } = this.#stopping
    const state = await states.claim(mauticId)
    if (state === undefined) return
    let result: RunResult
    try {
      result = await this.#read(state, isAll).catch(resultOf)
    } catch (error) {
      await states.release(state)
      if (error instanceof StoppedError || signal.aborted) return
      throw error
    }
    if (signal.aborted) return states.release(state)
    const { problem } = result
    if (state.problem === null && problem !== null)
      log.warn({ mauticId, problem }, 'problem with mautic')
    if (state.problem !== null && problem === null)
      log.info({ mauticId }, 'problem with mautic solved')
    await states.finish(state, result, 'hasMore' in result && result.hasMore ? 0 : changesMs)
    // Messages may wait for what it did not answer.
    if (state.problem !== null && problem === null) storage.notify(routesChannel)
  }

  async #read(state: ClaimedState, isForced: boolean): Promise<RunResult> {
    const { clients, states, emails, users, webhooks, list, storage } = this.#options
    const { signal } = this.#stopping
    const { mautic_id: mauticId, synchronized_at: lastAll } = state
    if (state.is_reinstalled)
      return { kind: 'reinstalled', problem: state.problem ?? reinstalledProblem('') }
    const client = await clients.find(mauticId)
    if (client === undefined) return { kind: 'changes', problem: null, hasMore: false }
    const now = await storage.now()
    const isAll = isForced || lastAll === null || now - lastAll >= allMs
    const onPage = async () => {
      if (signal.aborted || !(await states.renew(state))) throw new StoppedError()
    }
    const run = { mauticId, client, now, signal, onPage }
    const read = <Row extends MirrorRow>(store: MirrorStore<Row>) =>
      (isAll ? synchronizeAll : synchronizeChanges)({ ...run, store })
    // A role that may not see users or statistics does not keep the rest from being read.
    const [userResult] = await Promise.allSettled([read(users)])
    await read(emails)
    await webhooks.inspect(mauticId, signal)
    const listResult = await list.synchronize({ ...run, isAll }).catch(listResultOf)
    if (userResult.status === 'rejected') throw userResult.reason
    return { kind: isAll ? 'all' : 'changes', ...listResult }
  }
}

/** Returns why a list was not read. Throws an error that is none of Mautic's. */
function listResultOf(error: unknown): ListRunResult {
  if (error instanceof MauticError) return { problem: error.message, hasMore: false }
  throw error
}

/** Returns how a run failed. Throws an error that is none of Mautic's. */
function resultOf(error: unknown): RunResult {
  if (error instanceof ReinstalledError)
    return { kind: 'reinstalled', problem: reinstalledProblem(error.message) }
  const isKnown =
    error instanceof MauticError || (error instanceof AppError && error.kind === 'conflict')
  if (isKnown) return { kind: 'failed', problem: error.message }
  throw error
}
