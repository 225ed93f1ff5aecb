import { type ExpressionBuilder, type Kysely, sql, type Transaction } from 'kysely'
import { batches } from '../../../kit/batches.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Installation } from '../../../platform/installation/index.ts'
import { Outbox, type OutboxTable, queuedAt } from '../../../platform/outbox/index.ts'
import { ownedBy } from '../../../platform/resource/index.ts'
import { excluded, type Storage } from '../../../platform/storage/index.ts'
import type { RemovedSuppression } from '../../suppressions/index.ts'
import { addressKeyOf } from '../contact-address.ts'
import { storable } from '../mirror/mirror-records.ts'
import type { MauticReportRow, MauticTables } from '../table.ts'
import {
  findConcerned,
  type NewReport,
  type ReportedSuppression,
  type ReportReason,
  reportReasonOf,
  reportReasons,
} from './report.ts'
import { ReportSender, type ReportSenderParts } from './report-sender.ts'

/** Whether a Mautic gets reports with the reason of a row. */
const isWanted = sql<boolean>`case when mautic_reports.reason = ${sql.lit(reportReasons.refused)}
  then mautics.is_tagging else mautics.is_reporting end`

/** The outbox of reports. A Mautic that was reinstalled gets none until that is accepted. */
const reportTable: OutboxTable = {
  name: 'mautic_reports',
  label: 'reports to mautic',
  targets: 'mautics',
  targetColumn: 'mautic_id',
  isReady: sql<boolean>`mautics.is_published and not exists (
    select 1 from mautic_states where mautic_states.mautic_id = mautics.id and is_reinstalled)`,
  isWanted,
}

/** Mautic repeats a refused contact many times in one run. A report that ended within this time is not made again. */
const repeatMs = 3_600_000
/** 13 values each: below the limit of SQLite for one statement. */
const rowsPerStatement = 500
const dayMs = 86_400_000

interface MauticReportsOptions extends ReportSenderParts {
  installation: Pick<Installation, 'unconfirmed'>
  /** How often reports are looked for that are due again, in milliseconds. */
  idleMs: number
}

/** Reports to Mautics, to their Do not contact lists and as tags of contacts: stored, then sent until each Mautic accepts them. */
export class MauticReports {
  readonly outbox: Outbox<MauticReportRow>
  readonly #db: Kysely<MauticTables>
  readonly #clock: Clock

  constructor({ idleMs, installation, ...parts }: MauticReportsOptions) {
    const { storage, clock, log } = parts
    this.#db = storage.tables<MauticTables>()
    this.#clock = clock
    this.outbox = new Outbox({
      storage,
      table: reportTable,
      sender: new ReportSender(parts),
      installation,
      clock,
      log,
      idleMs,
      giveUpMs: 7 * dayMs,
      keepMs: 30 * dayMs,
    })
  }

  /**
   * Queues reports for those Mautics that get such reports, and sends them. There is one for each address and reason: one that
   * waits stays as it is, and one that ended long ago is made again. Call `notify` after the commit of a transaction.
   *
   * @returns Whether one of the Mautics gets one of them.
   */
  async add(reports: readonly NewReport[], tx?: Transaction<object>): Promise<boolean> {
    const now = this.#clock.now()
    const db = tx?.withTables<MauticTables>() ?? this.#db
    const rows = (await selectWanted(db, reports)).map((report) => toRow(report, now))
    // A statement changes a row only once. In one order, so that two processes do not wait for each other.
    const byKey = new Map(
      rows.map((row) => [`${row.mautic_id} ${row.reason} ${row.address_key}`, row]),
    )
    const distinct = [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? [])
    for (const some of batches(distinct, rowsPerStatement)) await upsert(db, some, now)
    if (distinct.length > 0 && tx === undefined) this.notify()
    return distinct.length > 0
  }

  /** Queues reports of suppressions, to the Mautics that they concern. Call `notify` after the commit of a transaction. */
  async addSuppressions(
    suppressions: readonly ReportedSuppression[],
    tx?: Transaction<object>,
  ): Promise<void> {
    const db = tx?.withTables<MauticTables>() ?? this.#db
    await this.add(await findConcerned(db, suppressions), tx)
  }

  /** Sends what a transaction has queued. */
  notify(): void {
    this.outbox.notify()
  }

  /**
   * Deletes the reports of deleted suppressions that no Mautic was sent, and takes the others back from the lists of the Mautics
   * that they concerned, but for those of `brandsLeft`.
   */
  async takeBack(suppressions: readonly RemovedSuppression[]): Promise<void> {
    let isAnyDue = false
    for (const { address, reason, brand, brandsLeft = [] } of suppressions) {
      // With the ids of the Mautics, the key of the table finds the reports.
      const isOfSuppression = (row: ExpressionBuilder<MauticTables, 'mautic_reports'>) =>
        row.and([
          row(
            'mautic_id',
            'in',
            row
              .selectFrom('mautics')
              .select('id')
              .where(
                brand
                  ? ownedBy({ brands: [brand] })
                  : sql<boolean>`not ${ownedBy({ brands: brandsLeft })}`,
              ),
          ),
          row('address_key', '=', addressKeyOf(address)),
          row('reason', '=', reportReasonOf(reason)),
          // Suppressions of one address in several domains are taken back one by one.
          row('is_removal', '=', false),
        ])
      const unsent = this.#db.deleteFrom('mautic_reports').where(isOfSuppression)
      await unsent.where('state', '=', 'queued').where('attempts', '=', 0).execute()
      const removal = { ...queuedAt(this.#clock.now()), is_removal: true }
      const sent = this.#db.updateTable('mautic_reports').set(removal).where(isOfSuppression)
      if ((await sent.executeTakeFirst()).numUpdatedRows > 0n) isAnyDue = true
    }
    if (isAnyDue) this.notify()
  }

  /** Finds the Mautics that suppressions were reported to and that `takeBack` would tell otherwise, in the order of the suppressions. */
  async findNotified(
    suppressions: readonly Pick<ReportedSuppression, 'address' | 'reason' | 'brand'>[],
  ): Promise<{ id: number; name: string; brand: number }[][]> {
    if (suppressions.length === 0) return []
    // With the ids of the Mautics, the key of the table finds the reports.
    const rows = await this.#db
      .selectFrom('mautics')
      .innerJoin('mautic_reports', 'mautic_reports.mautic_id', 'mautics.id')
      .select(['mautics.id', 'mautics.name', 'mautics.brand_id', 'address_key', 'reason'])
      .where('address_key', 'in', [
        ...new Set(suppressions.map(({ address }) => addressKeyOf(address))),
      ])
      .where('state', '<>', 'failed')
      .where('is_removal', '=', false)
      .orderBy('mautics.id')
      .execute()
    const byReport = Map.groupBy(rows, (row) => `${row.reason} ${row.address_key}`)
    return suppressions.map(({ address, reason, brand: of }) => {
      const reports = byReport.get(`${reportReasonOf(reason)} ${addressKeyOf(address)}`) ?? []
      return reports
        .map(({ id, name, brand_id: brand }) => ({ id, name, brand }))
        .filter(({ brand }) => !of || of === brand)
    })
  }

  /** Whether a report says this already: a change of the Mautic's list is then its echo. */
  async isReported(mauticId: number, address: string, reason: ReportReason): Promise<boolean> {
    const row = await this.#db
      .selectFrom('mautic_reports')
      .select('id')
      .where('mautic_id', '=', mauticId)
      .where('address_key', '=', addressKeyOf(address))
      .where('reason', '=', reportReasons[reason])
      .where('state', '<>', 'failed')
      .executeTakeFirst()
    return row !== undefined
  }

  /** Deletes the reports of an address that have ended, so that the next one is made at once. */
  async forgetEnded(mauticId: number, address: string): Promise<void> {
    const reports = this.#db.deleteFrom('mautic_reports').where('mautic_id', '=', mauticId)
    const ended = reports.where('address_key', '=', addressKeyOf(address))
    await ended.where('state', '<>', 'queued').execute()
  }
}

async function selectWanted(
  db: Kysely<MauticTables>,
  reports: readonly NewReport[],
): Promise<NewReport[]> {
  if (reports.length === 0) return []
  const ids = [...new Set(reports.map(({ mauticId }) => mauticId))]
  const query = db.selectFrom('mautics').select(['id', 'is_reporting', 'is_tagging'])
  const rows = await query.where('id', 'in', ids).execute()
  const mautics = new Map(rows.map((row) => [row.id, row]))
  return reports.filter(({ mauticId, reason }) => {
    const mautic = mautics.get(mauticId)
    return reason === 'refused' ? mautic?.is_tagging : mautic?.is_reporting
  })
}

async function upsert(
  db: Kysely<MauticTables>,
  rows: ReturnType<typeof toRow>[],
  now: number,
): Promise<void> {
  await db
    .insertInto('mautic_reports')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['mautic_id', 'address_key', 'reason'])
        .doUpdateSet({
          ...queuedAt(now),
          ...excluded('contact_id', 'email_id', 'comments'),
          is_removal: false,
        })
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

function toRow(
  { mauticId, address, contactId, emailId, reason, comments }: NewReport,
  now: number,
) {
  return {
    mautic_id: mauticId,
    contact_id: contactId,
    address: storable(address),
    address_key: addressKeyOf(address),
    email_id: emailId,
    reason: reportReasons[reason],
    comments: storable(comments),
    ...queuedAt(now),
  }
}

/** Reports that a Mautic does not accept. */
export interface ReportProblem {
  /** The id of the Mautic. */
  id: number
  /** The name of the Mautic. */
  name: string
  /** How many reports were tried three times or more, and wait. */
  reports: number
  /** Why one of them was not accepted. */
  problem: string
}

const attemptsMin = 3

/** Lists the published Mautics that do not accept reports. */
export async function listReportProblems(storage: Storage): Promise<ReportProblem[]> {
  const rows = await storage
    .tables<MauticTables>()
    .selectFrom('mautic_reports')
    .innerJoin('mautics', 'mautics.id', 'mautic_reports.mautic_id')
    .select(['mautics.id', 'name'])
    .select(({ fn }) => [fn.countAll().as('reports'), fn.max<string>('problem').as('problem')])
    .where('mautics.is_published', '=', true)
    .where(isWanted)
    .where('state', '=', 'queued')
    .where('problem', 'is not', null)
    .where('attempts', '>=', attemptsMin)
    .groupBy(['mautics.id', 'name'])
    .orderBy('name')
    .execute()
  return rows.map(({ reports, ...row }) => ({ ...row, reports: Number(reports) }))
}
