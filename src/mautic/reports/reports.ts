import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import type { MauticClients } from '../client/open-clients.ts'
import type { MauticReportRow, MauticTables } from '../table.ts'
import { addReports, type NewReport } from './add-reports.ts'
import { openReportStore, type ReportStore } from './report-store.ts'
import { openReportWorker } from './report-worker.ts'
import { findConcerned, type ReportedSuppression, reportReasonOf } from './suppression-reports.ts'

/** Reports to Mautics, to their Do not contact lists and as tags of contacts: stored, then sent until each Mautic accepts them. */
export interface MauticReports extends Pick<ReportStore, 'isReported' | 'forgetEnded' | 'list'> {
  /** Queues reports; see `addReports`. They are sent at once. */
  add(reports: readonly NewReport[]): Promise<boolean>
  /** Queues reports of suppressions, to the Mautics that they concern. */
  addSuppressions(suppressions: readonly ReportedSuppression[]): Promise<void>
  /** Takes back what was reported of suppressions that were deleted, from the lists of all Mautics. */
  takeBack(suppressions: readonly Pick<ReportedSuppression, 'address' | 'reason'>[]): Promise<void>
  /** Makes a report due now. Throws an AppError (`not_found`). */
  retry(mauticId: number, id: number): Promise<MauticReportRow>
  /** Deletes a report. Throws an AppError (`not_found`). */
  remove(mauticId: number, id: number): Promise<MauticReportRow>
  /** Deletes reports that ended 30 days ago. */
  prune(): Promise<void>
  start(): void
  stop(): Promise<void>
}

/** Dependencies of `openReports`. */
export interface ReportsOptions {
  storage: Storage
  clients: Pick<MauticClients, 'find'>
  clock: Clock
  log: Log
  /** Default: 5 s. */
  reportIdleMs?: number | undefined
}

const channel = 'mautic_reports'
const keepMs = 30 * 86_400_000
const rowsPerBatch = 500

export function openReports(options: ReportsOptions): MauticReports {
  const { storage, clock, reportIdleMs: idleMs = 5_000 } = options
  const db = storage.tables<MauticTables>()
  const store = openReportStore(storage)
  const worker = openReportWorker({ ...options, store, idleMs })
  const wake = () => storage.notify(channel)
  const add = async (reports: readonly NewReport[]) => {
    const isAdded = await addReports(db, reports, clock.now())
    if (isAdded) wake()
    return isAdded
  }
  let unlisten = () => {}
  return {
    add,
    async addSuppressions(suppressions) {
      await add(await findConcerned(db, suppressions))
    },
    async takeBack(suppressions) {
      let isAnyDue = false
      for (const { address, reason } of suppressions)
        if (await store.takeBack(address, reportReasonOf(reason), clock.now())) isAnyDue = true
      if (isAnyDue) wake()
    },
    isReported: (...asked) => store.isReported(...asked),
    forgetEnded: (...asked) => store.forgetEnded(...asked),
    list: (query) => store.list(query),
    async retry(mauticId, id) {
      const report = await store.retry(mauticId, id, clock.now())
      if (report === undefined) throw reportNotFound(id)
      wake()
      return report
    },
    async remove(mauticId, id) {
      const report = await store.remove(mauticId, id)
      if (report === undefined) throw reportNotFound(id)
      return report
    },
    async prune() {
      const before = clock.now() - keepMs
      while ((await store.removeEnded(before, rowsPerBatch)) === rowsPerBatch);
    },
    start() {
      unlisten = storage.listen(channel, () => worker.wake())
      worker.start()
    },
    async stop() {
      unlisten()
      await worker.stop()
    },
  }
}

const reportNotFound = (id: number) =>
  new AppError('not_found', 'mautic_report_not_found', `Report ${id} was not found.`)
