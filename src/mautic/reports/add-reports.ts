import { type Kysely, sql } from 'kysely'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { storable } from '../mirror/mirror-records.ts'
import type { MauticTables } from '../table.ts'

/**
 * The reasons of Mautic's Do not contact list, and their numbers in its API. A contact that is `refused` is not put on the
 * list: it gets a tag.
 */
export const reportReasons = { refused: 0, unsubscribed: 1, bounced: 2, manual: 3 } as const
/** A reason of the list. */
export type ReportReason = Exclude<keyof typeof reportReasons, 'refused'>

/** A contact that a Mautic is not to write to any more, or that it is to tag. */
export interface NewReport {
  mauticId: number
  address: string
  /** The contact that a message was for; null if that is not known. */
  contactId: number | null
  /** The email of the Mautic that the message was of; null if that is not known. */
  emailId: number | null
  reason: keyof typeof reportReasons
  /** Why, such as the words of a server. */
  comments: string
}

/** Mautic repeats a refused contact many times in one run. A report that ended within this time is not made again. */
const repeatMs = 3_600_000
/** 13 values each: below the limit of SQLite for one statement. */
const rowsPerStatement = 500

/** Whether a Mautic gets reports with the reason of a row of `mautic_reports`. Both tables are in the query. */
export const isWanted = sql<boolean>`case when mautic_reports.reason = ${sql.lit(reportReasons.refused)}
  then mautics.is_tagging else mautics.is_reporting end`

/**
 * Queues reports for those Mautics that get such reports. There is one for each address and reason: one that waits stays as it
 * is, and one that ended long ago is made again. Returns whether one of the Mautics gets one of them.
 */
export async function addReports(
  db: Kysely<MauticTables>,
  reports: readonly NewReport[],
  now: number,
): Promise<boolean> {
  const ids = [...new Set(reports.map(({ mauticId }) => mauticId))]
  if (ids.length === 0) return false
  const query = db.selectFrom('mautics').select(['id', 'is_reporting', 'is_tagging'])
  const rowsOfMautics = await query.where('id', 'in', ids).execute()
  const mautics = new Map(rowsOfMautics.map((row) => [row.id, row]))
  const isGiven = ({ mauticId, reason }: NewReport) => {
    const { is_reporting: isReporting, is_tagging: isTagging } = mautics.get(mauticId) ?? {}
    return Boolean(reason === 'refused' ? isTagging : isReporting)
  }
  const rows = reports.filter(isGiven).map(toRow(now))
  // A statement changes a row only once. In one order, so that two processes do not wait for each other.
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  const distinct = [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? [])
  for (let start = 0; start < distinct.length; start += rowsPerStatement)
    await upsert(db, distinct.slice(start, start + rowsPerStatement), now)
  return distinct.length > 0
}

type NewRow = ReturnType<ReturnType<typeof toRow>>

async function upsert(
  db: Kysely<MauticTables>,
  rows: readonly NewRow[],
  now: number,
): Promise<void> {
  await db
    .insertInto('mautic_reports')
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(['mautic_id', 'address_key', 'reason'])
        .doUpdateSet((row) => ({
          contact_id: row.ref('excluded.contact_id'),
          email_id: row.ref('excluded.email_id'),
          comments: row.ref('excluded.comments'),
          ...{ state: 'queued' as const, attempts: 0, problem: null, is_removal: false },
          due_at: row.ref('excluded.due_at'),
          created_at: row.ref('excluded.created_at'),
        }))
        .where((row) =>
          row.or([
            row('mautic_reports.is_removal', '=', true),
            row.and([
              row('mautic_reports.state', '<>', 'queued'),
              row('mautic_reports.due_at', '<', now - repeatMs),
            ]),
          ]),
        ),
    )
    .execute()
}

const toRow = (now: number) => (report: NewReport) => {
  const { mauticId, address, contactId, emailId, reason, comments } = report
  return {
    mautic_id: mauticId,
    contact_id: contactId,
    address: storable(address),
    address_key: emailKey(storable(address)),
    email_id: emailId,
    reason: reportReasons[reason],
    comments: storable(comments),
    state: 'queued' as const,
    ...{ attempts: 0, due_at: now, created_at: now, problem: null },
  }
}

function keyOf(row: NewRow): string {
  return `${row.mautic_id} ${row.reason} ${row.address_key}`
}
