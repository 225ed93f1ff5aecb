import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { createOutage } from '../../kit/outage.ts'
import { WorkLoop } from '../../kit/work-loop.ts'
import { MauticError } from '../client/mautic-error.ts'
import type { MauticClients } from '../client/open-clients.ts'
import type { MauticReportRow } from '../table.ts'
import { findManyContacts } from './find-many-contacts.ts'
import type { ReportResult, ReportStore } from './report-store.ts'
import { removeReported, sendReport } from './send-report.ts'

/** Dependencies of `openReportWorker`. */
export interface ReportWorkerOptions {
  store: ReportStore
  clients: Pick<MauticClients, 'find'>
  clock: Clock
  log: Log
  /** How often it looks for reports that are due again, or that another process has queued. */
  idleMs: number
}

/** Sends queued reports: to each Mautic one after the other, to several Mautics at the same time. */
export interface ReportWorker {
  start(): void
  /** Makes it look for due reports at once. */
  wake(): void
  /** Cancels what is being sent and waits for its end. It is due again when its claim ends. */
  stop(): Promise<void>
}

const events = { failed: 'reports to mautic interrupted', recovered: 'reports to mautic resumed' }

export function openReportWorker(options: ReportWorkerOptions): ReportWorker {
  const { store, clock, log, idleMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const outage = createOutage(log, { level: 'error', ...events })
  const busy = new Map<number, Promise<void>>()
  /** The Mautics that had due reports while others of theirs were sent. */
  const missed = new Set<number>()
  const pauses = new Map<number, number>()
  const pause = (mauticId: number, until: number) => void pauses.set(mauticId, until)
  const start = async (mauticId: number) => {
    try {
      if (await sendSome(mauticId, { ...options, signal, pause })) missed.add(mauticId)
      outage.recover()
    } catch (error) {
      outage.report(error)
    }
    busy.delete(mauticId)
    if (missed.delete(mauticId)) loop.wake()
  }
  const work = async () => {
    const now = clock.now()
    for (const mauticId of await store.findDueMautics(now)) {
      if (busy.has(mauticId)) missed.add(mauticId)
      else if ((pauses.get(mauticId) ?? 0) <= now) busy.set(mauticId, start(mauticId))
    }
    return idleMs
  }
  const loop = new WorkLoop({ work, idleMs, log, events })
  return {
    start: () => loop.start(),
    wake: () => loop.wake(),
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all(busy.values())
    },
  }
}

type SendParts = ReportWorkerOptions & {
  signal: AbortSignal
  /** Sends nothing to a Mautic that does not work until a time. */
  pause: (mauticId: number, until: number) => void
}

/** Longer than the requests for one report take. */
const claimMs = 120_000
/** So many are sent before the Mautic is looked up again: it may have been edited. */
const sentAtOnce = 50

/** Sends what is due for a Mautic, until it does not work. Returns whether more may be due. */
async function sendSome(mauticId: number, parts: SendParts): Promise<boolean> {
  const { store, clock, signal } = parts
  let mayFindMany = true
  for (let sent = 0; sent < sentAtOnce && !signal.aborted; sent += 1) {
    const now = clock.now()
    mayFindMany &&= await findMany(mauticId, parts)
    if (mayFindMany) continue
    const report = await store.claim(mauticId, { now, until: now + claimMs })
    if (report === undefined) return false
    const { result, pauseUntil } = await attempt(report, parts)
    if (result !== undefined) await store.settle(report, result, clock.now())
    // Others may have been added with it.
    mayFindMany = isUnidentified(report)
    if (pauseUntil === undefined) continue
    parts.pause(mauticId, pauseUntil)
    return false
  }
  return true
}

/** Finds contacts of reports of suppressions. Returns false if there are few of them, or a request fails. */
async function findMany(
  mauticId: number,
  { clients, store, clock, signal }: SendParts,
): Promise<boolean> {
  try {
    const client = await clients.find(mauticId)
    if (client === undefined) return false
    return (await findManyContacts(client, store, { mauticId, now: clock.now(), signal })) > 0
  } catch (error) {
    if (error instanceof MauticError || error instanceof AppError) return false
    throw error
  }
}

interface Attempt {
  /** Undefined where it was cancelled: what became of it is not known. */
  result?: ReportResult
  /** Until when other reports to this Mautic wait, too. */
  pauseUntil?: number
}

async function attempt(
  report: MauticReportRow,
  { clients, clock, log, signal }: SendParts,
): Promise<Attempt> {
  const { id: reportId, mautic_id: mauticId } = report
  try {
    const client = await clients.find(mauticId)
    if (client === undefined) return {}
    if (report.is_removal) {
      await removeReported(client, report, signal)
      log.info({ mauticId, reportId }, 'report to mautic taken back')
      return { result: { state: 'needless' } }
    }
    if (!(await sendReport(client, report, signal))) return { result: withoutContact(report) }
    log.info({ mauticId, reportId }, 'contact reported to mautic')
    return { result: { state: 'done' } }
  } catch (error) {
    if (signal.aborted) return {}
    log.warn({ err: error, mauticId, reportId, attempts: report.attempts }, 'report not sent')
    return explain(error, report, clock.now())
  }
}

/** A suppression is reported to every Mautic that it concerns, and few of them have a contact with its address. */
function withoutContact(report: MauticReportRow): ReportResult {
  if (isUnidentified(report)) return { state: 'needless' }
  return { state: 'failed', problem: 'No contact of this Mautic has the address.' }
}

function isUnidentified({ contact_id, email_id }: MauticReportRow): boolean {
  return contact_id === null && email_id === null
}

const firstWaitMs = 5_000
const longestWaitMs = 3_600_000
const pauseMs = 15_000
const giveUpMs = 7 * 86_400_000
/** Failures that other requests to the same Mautic would have too. */
const commonFailures: readonly string[] = [
  ...['unreachable', 'blocked', 'timeout', 'redirected', 'unauthorized', 'forbidden'],
]

function explain(error: unknown, report: MauticReportRow, now: number): Attempt {
  const problem = error instanceof Error ? error.message : String(error)
  // An AppError: the secret of the Mautic cannot be decrypted.
  const isCommon =
    error instanceof AppError ||
    (error instanceof MauticError && commonFailures.includes(error.code))
  const pausing = isCommon ? { pauseUntil: now + pauseMs } : {}
  if (now - report.created_at > giveUpMs && report.attempts > 1)
    return { result: { state: 'failed', problem }, ...pausing }
  const waitMs = Math.min(firstWaitMs * 2 ** (report.attempts - 1), longestWaitMs)
  return { result: { state: 'queued', problem, dueAt: now + waitMs }, ...pausing }
}
