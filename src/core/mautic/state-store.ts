import { type Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import { queuedAt } from '../../platform/outbox/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { forgetList } from './do-not-contact/list-store.ts'
import type { MauticStateRow, MauticTables } from './table.ts'

/** How a run ended. */
export type RunResult =
  /** Emails and users were read. `problem` says what could not be. */
  | { kind: 'changes' | 'all'; problem: string | null; hasMore: boolean }
  | { kind: 'failed' | 'reinstalled'; problem: string; hasMore?: false }

/** What is known of the synchronization of each Mautic. Times are the database's, which all processes share. */
export class StateStore {
  readonly #storage: Storage
  readonly #db: Kysely<MauticTables>

  constructor(storage: Storage) {
    this.#storage = storage
    this.#db = storage.tables<MauticTables>()
  }

  /** Writes the result of a run, unless another process has the Mautic by now. */
  async noteRun(
    { mautic_id: mauticId, attempts }: MauticStateRow,
    result: RunResult,
  ): Promise<void> {
    const now = await this.#storage.now()
    const { kind, problem } = result
    await this.#db
      .updateTable('mautic_states')
      .set({
        ...problemColumns(problem, now),
        ...(kind === 'changes' || kind === 'all' ? { polled_at: now } : {}),
        ...(kind === 'all' ? { synchronized_at: now } : {}),
        ...(kind === 'reinstalled' ? { is_reinstalled: true } : {}),
      })
      .where('mautic_id', '=', mauticId)
      .where('attempts', '=', attempts)
      .execute()
  }

  /** Notes that the ids of a Mautic mean other records than before. A run that has begun ends: its result would hide that. */
  async noteReinstalled(mauticId: number, problem: string): Promise<void> {
    const now = await this.#storage.now()
    const reinstalled = { is_reinstalled: true, attempts: sql<number>`attempts + 1` }
    await this.#db
      .updateTable('mautic_states')
      .set({ ...problemColumns(problem, now), ...reinstalled })
      .where('mautic_id', '=', mauticId)
      .execute()
  }

  /** Forgets what is known of a Mautic, so that everything is read again. */
  async forget(mauticId: number): Promise<void> {
    for (const table of ['mautic_emails', 'mautic_users', 'mautic_sends'] as const)
      await this.#db.deleteFrom(table).where('mautic_id', '=', mauticId).execute()
    await forgetList(this.#db, mauticId)
    const reports = this.#db.updateTable('mautic_reports').set({ contact_id: null, email_id: null })
    await reports.where('mautic_id', '=', mauticId).execute()
    const update = this.#db.updateTable('mautic_states').set({ ...unread, ...queuedAt(0) })
    await update.where('mautic_id', '=', mauticId).execute()
  }

  async find(mauticId: number): Promise<MauticStateRow | undefined> {
    return (await this.list([mauticId])).get(mauticId)
  }

  /** Returns states by the ids of their Mautics. */
  list(ids: readonly number[]): Promise<Map<number, MauticStateRow>> {
    return byMautic(this.#db.selectFrom('mautic_states').selectAll(), ids)
  }
}

const unread = {
  polled_at: null,
  synchronized_at: null,
  problem_since: null,
  is_reinstalled: false,
}

/** Adds the state of a new Mautic, which is read at once. */
export async function addState(tx: Transaction<object>, mauticId: number): Promise<void> {
  const row = { ...unread, ...queuedAt(0), id: mauticId, mautic_id: mauticId }
  const insert = tx.withTables<MauticTables>().insertInto('mautic_states').values(row)
  await insert.onConflict((conflict) => conflict.doNothing()).execute()
}

/** Returns the columns of a problem, or of none. The time of the first of several in a row stays. */
export function problemColumns(problem: string | null, now: number) {
  const since = problem === null ? null : sql<number>`coalesce(problem_since, ${now})`
  return { problem, problem_since: since }
}

/** Returns the rows of some Mautics, by the id of the Mautic. */
export async function byMautic<DB, Table extends keyof DB, Row extends { mautic_id: number }>(
  query: SelectQueryBuilder<DB, Table, Row>,
  ids: readonly number[],
): Promise<Map<number, Row>> {
  if (ids.length === 0) return new Map()
  const rows = await query.where(sql<boolean>`mautic_id in (${sql.join(ids)})`).execute()
  return new Map(rows.map((row) => [row.mautic_id, row]))
}
