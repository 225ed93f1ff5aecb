import { type Kysely, sql, type Transaction } from 'kysely'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { Storage } from '../../storage/index.ts'
import { noteListRemoval } from '../list-removals.ts'
import { storable } from '../mirror/mirror-records.ts'
import type { MauticReportRow, MauticTables } from '../table.ts'
import { isWanted, type ReportReason, reportReasons } from './add-reports.ts'

/** What becomes of a report after an attempt. */
export type ReportResult =
  | { state: 'done' }
  | { state: 'failed'; problem: string }
  | { state: 'queued'; problem: string; dueAt: number }
  /** There is nothing to report: it is deleted. */
  | { state: 'needless' }

/** The SQL of the reports. */
export interface ReportStore {
  /** Returns the published Mautics that have due reports of a kind that they get. One that was reinstalled gets none. */
  findDueMautics(now: number): Promise<number[]>
  /** Claims the oldest due report of a kind that a Mautic gets. Unless it is settled, it is due again at `until`. */
  claim(
    mauticId: number,
    times: { now: number; until: number },
  ): Promise<MauticReportRow | undefined>
  /** Lists due reports that were not tried yet, and know neither contact nor email. */
  listUnidentified(
    mauticId: number,
    query: { now: number; limit: number },
  ): Promise<MauticReportRow[]>
  /** Stores the contact of a report. */
  identify(id: number, contactId: number): Promise<void>
  /** Deletes queued reports. */
  removeNeedless(ids: readonly number[]): Promise<void>
  /** Records what became of a claimed report, unless it was claimed or retried meanwhile. */
  settle(report: MauticReportRow, result: ReportResult, now: number): Promise<void>
  /** Whether a report says this already: a change of the Mautic's list is then its echo. */
  isReported(mauticId: number, address: string, reason: ReportReason): Promise<boolean>
  /** Deletes the reports of an address that have ended, so that the next one is made at once. */
  forgetEnded(mauticId: number, address: string): Promise<void>
  /**
   * Takes reports of an address back: deletes what no Mautic was sent, and makes the removal of the others due. Returns
   * whether there are such.
   */
  takeBack(address: string, reason: number, now: number): Promise<boolean>
  /** Lists reports, the newest first. */
  list(query: ReportQuery): Promise<{ rows: MauticReportRow[]; total: number }>
  /** Makes a report due now, as if it were new. Returns undefined if there is none with this id. */
  retry(mauticId: number, id: number, now: number): Promise<MauticReportRow | undefined>
  /** Deletes a report and returns it; undefined if there is none with this id. */
  remove(mauticId: number, id: number): Promise<MauticReportRow | undefined>
  /** Deletes some reports that ended before a time; returns how many. */
  removeEnded(before: number, limit: number): Promise<number>
}

/** Which reports are listed. */
export interface ReportQuery {
  mauticId: number
  state: MauticReportRow['state'] | undefined
  start: number
  limit: number
  /** The key of the caller; see `callerKey`. */
  owner: string
}

export function openReportStore(storage: Storage): ReportStore {
  const db = storage.tables<MauticTables>()
  const ofMautic = (mauticId: number) =>
    db.deleteFrom('mautic_reports').where('mautic_id', '=', mauticId)
  return {
    ...openIdentification(db),
    findDueMautics: (now) => findDueMautics(db, now),
    async claim(mauticId, { now, until }) {
      const lock = sql.raw(
        storage.kind === 'postgres' ? 'for update of mautic_reports skip locked' : '',
      )
      const { rows } = await sql<MauticReportRow>`
        update mautic_reports set due_at = ${until}, attempts = attempts + 1
        where id = (
          select mautic_reports.id from mautic_reports join mautics on mautics.id = mautic_id
          where mautic_id = ${mauticId} and state = 'queued' and due_at <= ${now} and ${isWanted}
          order by due_at, mautic_reports.id limit 1 ${lock})
        returning *`.execute(db)
      return rows[0]
    },
    settle: (report, result, now) => settle(storage, report, { result, now }),
    async isReported(mauticId, address, reason) {
      const own = db.selectFrom('mautic_reports').select('id').where('mautic_id', '=', mauticId)
      const same = own
        .where('address_key', '=', emailKey(address))
        .where('reason', '=', reportReasons[reason])
        .where('state', '<>', 'failed')
      return (await same.executeTakeFirst()) !== undefined
    },
    async forgetEnded(mauticId, address) {
      const own = ofMautic(mauticId).where('address_key', '=', emailKey(address))
      await own.where('state', '<>', 'queued').execute()
    },
    takeBack: (address, reason, now) => takeBack(db, { address, reason, now }),
    list: (query) => list(storage, query),
    retry(mauticId, id, now) {
      const change = { state: 'queued' as const, attempts: 0, due_at: now, created_at: now }
      const update = db.updateTable('mautic_reports').set(change).where('mautic_id', '=', mauticId)
      return update.where('id', '=', id).returningAll().executeTakeFirst()
    },
    remove: (mauticId, id) =>
      ofMautic(mauticId).where('id', '=', id).returningAll().executeTakeFirst(),
    async removeEnded(before, limit) {
      const { numAffectedRows = 0n } = await sql`delete from mautic_reports where id in (
        select id from mautic_reports where state in ('done', 'failed') and due_at < ${before}
        limit ${limit})`.execute(db)
      return Number(numAffectedRows)
    },
  }
}

function openIdentification(
  db: Kysely<MauticTables>,
): Pick<ReportStore, 'listUnidentified' | 'identify' | 'removeNeedless'> {
  return {
    listUnidentified(mauticId, { now, limit }) {
      const own = db.selectFrom('mautic_reports').selectAll().where('mautic_id', '=', mauticId)
      const due = own.where('state', '=', 'queued').where('due_at', '<=', now)
      const fresh = due.where('contact_id', 'is', null).where('email_id', 'is', null)
      return fresh.where('attempts', '=', 0).orderBy('due_at').orderBy('id').limit(limit).execute()
    },
    async identify(id, contactId) {
      const update = db.updateTable('mautic_reports').set({ contact_id: contactId })
      await update.where('id', '=', id).execute()
    },
    async removeNeedless(ids) {
      if (ids.length === 0) return
      const removal = db.deleteFrom('mautic_reports').where('id', 'in', [...ids])
      await removal.where('state', '=', 'queued').execute()
    },
  }
}

async function findDueMautics(db: Kysely<MauticTables>, now: number): Promise<number[]> {
  const rows = await db
    .selectFrom('mautics')
    .leftJoin('mautic_states', 'mautic_states.mautic_id', 'mautics.id')
    .select('mautics.id')
    .where('is_published', '=', true)
    .where((is) => is.or([is('is_reinstalled', 'is', null), is('is_reinstalled', '=', false)]))
    .where((is) =>
      is.exists(
        is
          .selectFrom('mautic_reports')
          .select('mautic_reports.id')
          .whereRef('mautic_reports.mautic_id', '=', 'mautics.id')
          .where('mautic_reports.state', '=', 'queued')
          .where('mautic_reports.due_at', '<=', now)
          .where(isWanted),
      ),
    )
    .orderBy('mautics.id')
    .execute()
  return rows.map(({ id }) => id)
}

async function takeBack(
  db: Kysely<MauticTables>,
  { address, reason, now }: { address: string; reason: number; now: number },
): Promise<boolean> {
  const key = emailKey(storable(address))
  // With their ids, the key of the table finds the reports.
  const mautics = db.selectFrom('mautics').select('id')
  await db
    .deleteFrom('mautic_reports')
    .where('mautic_id', 'in', mautics)
    .where('address_key', '=', key)
    .where('reason', '=', reason)
    .where('state', '=', 'queued')
    .where('attempts', '=', 0)
    // Suppressions of one address in several domains are taken back one by one.
    .where('is_removal', '=', false)
    .execute()
  const { numUpdatedRows } = await db
    .updateTable('mautic_reports')
    .set({
      is_removal: true,
      state: 'queued',
      attempts: 0,
      problem: null,
      due_at: now,
      created_at: now,
    })
    .where('mautic_id', 'in', mautics)
    .where('address_key', '=', key)
    .where('reason', '=', reason)
    .where('is_removal', '=', false)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function settle(
  storage: Storage,
  report: MauticReportRow,
  { result, now }: { result: ReportResult; now: number },
): Promise<void> {
  const { id, attempts } = report
  const { state } = result
  if (state === 'needless') return settleNeedless(storage, report)
  const dueAt = state === 'queued' ? result.dueAt : now
  const problem = state === 'done' ? null : result.problem
  const db = storage.tables<MauticTables>()
  const update = db.updateTable('mautic_reports').set({ state, due_at: dueAt, problem })
  const claimed = update.where('id', '=', id).where('state', '=', 'queued')
  await claimed.where('attempts', '=', attempts).execute()
}

/** What was read of the list before its entry was removed must not bring the entry back. */
async function settleNeedless(
  storage: Storage,
  { id, attempts, is_removal, mautic_id: mauticId, address }: MauticReportRow,
): Promise<void> {
  await storage.transaction(async (tx: Transaction<MauticTables>) => {
    if (is_removal) await noteListRemoval(storage, tx, { mauticId, address })
    const removal = tx.deleteFrom('mautic_reports').where('id', '=', id)
    await removal.where('state', '=', 'queued').where('attempts', '=', attempts).execute()
  })
}

async function list(
  storage: Storage,
  { mauticId, state, start, limit, owner }: ReportQuery,
): Promise<{ rows: MauticReportRow[]; total: number }> {
  const { db, isInTime } = storage.lists<MauticTables>(owner, true)
  const all = db.selectFrom('mautic_reports').where('mautic_id', '=', mauticId).where(isInTime)
  const wanted = state === undefined ? all : all.where('state', '=', state)
  const counted = wanted.select((row) => row.fn.countAll<number>().as('count'))
  const { count } = await counted.executeTakeFirstOrThrow()
  const page = wanted.selectAll().orderBy('id', 'desc').limit(limit).offset(start)
  return { rows: await page.execute(), total: Number(count) }
}
