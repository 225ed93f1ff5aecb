import type { ExpressionBuilder, Kysely, Transaction } from 'kysely'
import { queuedAt } from '../../platform/outbox/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { forgetList } from './do-not-contact/list-store.ts'
import type { MauticStateRow, MauticTables } from './table.ts'

/** How a run ended. */
export type RunResult =
  /** Emails and users were read. `problem` says what could not be. */
  | { kind: 'changes' | 'all'; problem: string | null; hasMore: boolean }
  | { kind: 'failed'; problem: string }
  | { kind: 'reinstalled'; problem: string }

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
      .set((set) => ({
        problem,
        problem_since: problem === null ? null : firstTime(set, now),
        ...(kind === 'changes' || kind === 'all' ? { polled_at: now } : {}),
        ...(kind === 'all' ? { synchronized_at: now } : {}),
        ...(kind === 'reinstalled' ? { is_reinstalled: true } : {}),
      }))
      .where('mautic_id', '=', mauticId)
      .where('attempts', '=', attempts)
      .execute()
  }

  /** Notes that the ids of a Mautic mean other records than before. */
  async noteReinstalled(mauticId: number, problem: string): Promise<void> {
    const now = await this.#storage.now()
    await this.#db
      .updateTable('mautic_states')
      .set((set) => ({ problem, problem_since: firstTime(set, now), is_reinstalled: true }))
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
  async list(ids: readonly number[]): Promise<Map<number, MauticStateRow>> {
    if (ids.length === 0) return new Map()
    const query = this.#db.selectFrom('mautic_states').selectAll().where('mautic_id', 'in', ids)
    return new Map((await query.execute()).map((row) => [row.mautic_id, row]))
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

/** The time of the first of the same problems stays. */
function firstTime(set: ExpressionBuilder<MauticTables, 'mautic_states'>, now: number) {
  return set.fn.coalesce('problem_since', set.val(now))
}
