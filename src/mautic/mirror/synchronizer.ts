import { randomUUID } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import { createOutage } from '../../kit/outage.ts'
import type { Storage } from '../../storage/index.ts'
import { MauticError } from '../client/mautic-error.ts'
import type { MauticClients } from '../client/open-clients.ts'
import type { DoNotContactList, ListRunResult } from '../do-not-contact/do-not-contact-list.ts'
import type { MauticEmailRow, MauticStateRow, MauticUserRow } from '../table.ts'
import type { OwnWebhooks } from '../webhooks/own-webhooks.ts'
import { emailKind, type MirrorKind, type MirrorRow, userKind } from './mirror-records.ts'
import type { MirrorStore } from './mirror-store.ts'
import type { Claim, RunResult, StateStore } from './state-store.ts'
import { ReinstalledError, synchronizeAll, synchronizeChanges } from './synchronize.ts'

/** How often Mautics are read, in milliseconds. Tests choose other intervals. */
export interface MauticIntervals {
  /** How often each process looks for Mautics that are due. */
  lookMs: number
  /** From one reading of changes to the next. */
  changesMs: number
  /** From one reading of everything to the next. */
  allMs: number
  /** A process that was not seen for this long has ended. */
  leaseMs: number
}

export const defaultMauticIntervals: MauticIntervals = {
  lookMs: 5_000,
  changesMs: 60_000,
  allMs: 3_600_000,
  leaseMs: 90_000,
}

/** Copies the emails and users of all Mautics. Of several processes, one reads a Mautic at a time. */
export interface Synchronizer {
  /** Looks for Mautics that are due, every few seconds. */
  start(): void
  /** Stops after the running request. */
  stop(): Promise<void>
  /** Reads all Mautics that are due. */
  runDue(): Promise<void>
  /** Reads everything of a Mautic now. Does nothing where another process reads it at this moment. */
  run(mauticId: number): Promise<void>
}

/** Dependencies of `createSynchronizer`. */
export interface SynchronizerOptions {
  storage: Storage
  log: Log
  clients: MauticClients
  states: StateStore
  emails: MirrorStore<MauticEmailRow>
  users: MirrorStore<MauticUserRow>
  webhooks: Pick<OwnWebhooks, 'inspect'>
  list: Pick<DoNotContactList, 'synchronize'>
  intervals?: MauticIntervals
}

/** Creates the synchronizer. */
export function createSynchronizer(options: SynchronizerOptions): Synchronizer {
  const { log, states, storage, intervals = defaultMauticIntervals } = options
  const claim: Claim = { processId: randomUUID(), leaseMs: intervals.leaseMs }
  const running = new Map<number, Promise<void>>()
  const stopping = new AbortController()
  const outage = createOutage(log, {
    level: 'warn',
    failed: 'synchronization with Mautic failed',
    recovered: 'synchronization with Mautic restored',
  })
  const run = (mauticId: number, isAll: boolean) => {
    const started =
      running.get(mauticId) ??
      runClaimed(options, { mauticId, isAll, claim, intervals, signal: stopping.signal }).finally(
        () => running.delete(mauticId),
      )
    running.set(mauticId, started)
    return started
  }
  const runDue = async () => {
    const due = await states.findDue()
    await Promise.all(due.map((mauticId) => run(mauticId, false)))
  }
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void) | undefined
  const look = () => {
    runDue().then(outage.recover, outage.report)
  }
  return {
    runDue,
    run: (mauticId) => run(mauticId, true),
    start() {
      timer = setInterval(look, intervals.lookMs)
      stopListening = storage.listen(mauticsChannel, look)
      look()
    },
    async stop() {
      clearInterval(timer)
      stopListening?.()
      stopping.abort()
      await Promise.allSettled(running.values())
    },
  }
}

/** Notified after a Mautic was changed. */
export const mauticsChannel = 'mautics'

interface Run {
  mauticId: number
  isAll: boolean
  claim: Claim
  intervals: MauticIntervals
  signal: AbortSignal
}

class StoppedError extends Error {}

/** Reads one Mautic, if no other process does, and writes how that ended. */
async function runClaimed(options: SynchronizerOptions, run: Run): Promise<void> {
  const { states } = options
  const { mauticId, claim, intervals, signal } = run
  const state = await states.claim(mauticId, claim)
  if (state === undefined) return
  let result: RunResult
  try {
    result = await readMautic(options, run, state).catch(resultOf)
  } catch (error) {
    await states.release(mauticId, claim)
    if (error instanceof StoppedError || signal.aborted) return
    throw error
  }
  if (signal.aborted) return states.release(mauticId, claim)
  logChange(options, state, result)
  const nextMs = 'hasMore' in result && result.hasMore ? 0 : intervals.changesMs
  await states.finish(mauticId, result, { ...claim, nextMs })
}

function logChange({ log }: SynchronizerOptions, state: MauticStateRow, result: RunResult): void {
  const { mautic_id: mauticId } = state
  const { problem } = result
  if (state.problem === null && problem !== null)
    log.warn({ mauticId, problem }, 'problem with mautic')
  if (state.problem !== null && problem === null)
    log.info({ mauticId }, 'problem with mautic solved')
}

async function readMautic(
  { clients, states, emails, users, webhooks, list, storage }: SynchronizerOptions,
  { mauticId, isAll, claim, intervals, signal }: Run,
  state: MauticStateRow,
): Promise<RunResult> {
  if (state.is_reinstalled)
    return { kind: 'reinstalled', problem: state.problem ?? reinstalled('') }
  const client = await clients.find(mauticId)
  if (client === undefined) return { kind: 'changes', problem: null, hasMore: false }
  const lastAll = state.synchronized_at
  const isDue = lastAll === null || (await storage.now()) - lastAll >= intervals.allMs
  const isWhole = isAll || isDue
  const onPage = async () => {
    if (signal.aborted || !(await states.renew(mauticId, claim))) throw new StoppedError()
  }
  const read = <Row extends MirrorRow>(kind: MirrorKind<Row>, store: MirrorStore<Row>) =>
    (isWhole ? synchronizeAll : synchronizeChanges)({
      ...{ mauticId, client, kind, store, signal, onPage },
    })
  // A role that may not see users or statistics does not keep the rest from being read.
  const [ofUsers] = await Promise.allSettled([read(userKind, users)])
  await read(emailKind, emails)
  await webhooks.inspect(mauticId, signal)
  const run = { mauticId, client, isAll: isWhole, signal, onPage }
  const ofList = await list.synchronize(run).catch(problemOf)
  if (ofUsers.status === 'rejected') throw ofUsers.reason
  return { kind: isWhole ? 'all' : 'changes', ...ofList }
}

/** Returns why a list was not read. Throws an error that is none of Mautic's. */
function problemOf(error: unknown): ListRunResult {
  if (error instanceof MauticError) return { problem: error.message, hasMore: false }
  throw error
}

/** Returns how a run failed. Throws an error that is none of Mautic's. */
function resultOf(error: unknown): RunResult {
  if (error instanceof ReinstalledError)
    return { kind: 'reinstalled', problem: reinstalled(error.message) }
  const isKnown =
    error instanceof MauticError || (error instanceof AppError && error.kind === 'conflict')
  if (isKnown) return { kind: 'failed', problem: error.message }
  throw error
}

/** The problem of a Mautic whose ids mean other records than before. */
export function reinstalled(detail: string): string {
  const advice =
    'The ids of this Mautic mean other emails or users than before: it was reinstalled, or restored from a backup. ' +
    'Note the assignments of its emails and users, then accept it: they are deleted with that. Until then, nothing is read from it.'
  return [detail, advice].filter((part) => part !== '').join(' ')
}
