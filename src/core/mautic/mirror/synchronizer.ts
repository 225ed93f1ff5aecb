import { sql } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import type { Installation } from '../../../platform/installation/index.ts'
import {
  Outbox,
  type OutboxResult,
  type OutboxSender,
  type OutboxTable,
} from '../../../platform/outbox/index.ts'
import { routesChannel, type Storage } from '../../../platform/storage/index.ts'
import { MauticError } from '../../mautic-client/index.ts'
import type { DoNotContactList, ListRunResult } from '../do-not-contact/do-not-contact-list.ts'
import type { MauticClients } from '../mautic-clients.ts'
import type { RunResult, StateStore } from '../state-store.ts'
import type { MauticEmailRow, MauticStateRow, MauticUserRow, MirrorRow } from '../table.ts'
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
  installation: Pick<Installation, 'unconfirmed'>
  clock: Clock
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

/** The outbox of what is read. A Mautic that was reinstalled is not read until that is accepted. */
const stateTable: OutboxTable = {
  name: 'mautic_states',
  label: 'synchronizations with mautic',
  targets: 'mautics',
  targetColumn: 'mautic_id',
  isReady: sql<boolean>`mautics.is_published`,
  isWanted: sql<boolean>`not is_reinstalled`,
}

/** Copies the emails and users of all Mautics. Of several processes, one reads a Mautic at a time. */
export class Synchronizer implements OutboxSender<MauticStateRow> {
  readonly #options: SynchronizerOptions
  readonly #outbox: Outbox<MauticStateRow>

  constructor(options: SynchronizerOptions) {
    const { storage, installation, clock, log } = options
    this.#options = options
    this.#outbox = new Outbox({
      storage,
      table: stateTable,
      sender: this,
      installation,
      clock,
      log,
      idleMs: lookMs,
      giveUpMs: Number.POSITIVE_INFINITY,
      keepMs: Number.POSITIVE_INFINITY,
    })
  }

  /** Reads each Mautic when it is due. A slow one keeps no other from being read. */
  start(): void {
    this.#outbox.start()
  }

  /** Looks at once for Mautics that are due. */
  notify(): void {
    this.#outbox.notify()
  }

  /** Stops after the running request. */
  stop(): Promise<void> {
    return this.#outbox.stop()
  }

  /** Reads what is due, and waits for what is being read, as a worker. */
  idle(): Promise<boolean> {
    return this.#outbox.sendDue()
  }

  /** Reads one Mautic, and writes how that ended. What is wrong with Mailyard itself is no problem of the Mautic. */
  async send(state: MauticStateRow, signal: AbortSignal): Promise<OutboxResult> {
    const { log, clock } = this.#options
    const { mautic_id: mauticId, problem } = state
    try {
      return await this.#run(state, signal)
    } catch (err) {
      signal.throwIfAborted()
      log.error({ err, mauticId }, 'mautic not read')
      return { state: 'queued', problem, dueAt: clock.now() + changesMs }
    }
  }

  async #run(state: MauticStateRow, signal: AbortSignal): Promise<OutboxResult> {
    const { states, log, storage, clock } = this.#options
    const { mautic_id: mauticId } = state
    const result = await this.#read(state, signal).catch(resultOf)
    signal.throwIfAborted()
    const { problem } = result
    if (state.problem === null && problem !== null)
      log.warn({ mauticId, problem }, 'problem with mautic')
    const isSolved = state.problem !== null && problem === null
    if (isSolved) log.info({ mauticId }, 'problem with mautic solved')
    await states.noteRun(state, result)
    // Messages may wait for what it did not answer.
    if (isSolved) storage.notify(routesChannel)
    return { state: 'queued', problem, dueAt: clock.now() + (result.hasMore ? lookMs : changesMs) }
  }

  async #read(state: MauticStateRow, signal: AbortSignal): Promise<RunResult> {
    const { clients, emails, users, webhooks, list, storage } = this.#options
    const { mautic_id: mauticId, synchronized_at: lastAll } = state
    const client = await clients.find(mauticId)
    if (client === undefined) return { kind: 'changes', problem: null, hasMore: false }
    const now = await storage.now()
    const isAll = lastAll === null || now - lastAll >= allMs
    const run = { mauticId, client, now, signal }
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
