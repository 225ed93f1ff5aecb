import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Storage } from '../../platform/storage/index.ts'
import { forgetList } from './do-not-contact/list-store.ts'
import type { MauticStateRow, MauticTables } from './table.ts'

/** How a run ended. */
export type RunResult =
  /** Emails and users were read. `problem` says what could not be. */
  | { kind: 'changes' | 'all'; problem: string | null; hasMore: boolean }
  | { kind: 'failed'; problem: string }
  | { kind: 'reinstalled'; problem: string }

/** The state of a Mautic that this process has claimed. */
export type ClaimedState = MauticStateRow & { claimed_until: number }

/** A process that was not seen for this long has ended. */
const leaseMs = 90_000

/**
 * What is known of the synchronization of each Mautic. Times are the database's, which all processes share. The end of its lease
 * says whether a process still has a Mautic: another one can claim it only after that time, and then has a later end.
 */
export class StateStore {
  readonly #storage: Storage
  readonly #db: Kysely<MauticTables>

  constructor(storage: Storage) {
    this.#storage = storage
    this.#db = storage.tables<MauticTables>()
  }

  /** Creates the state of new Mautics, and returns the ids of the published ones that are due. */
  async findDue(): Promise<number[]> {
    await this.#addMissing()
    const query = this.#db
      .selectFrom('mautic_states')
      .innerJoin('mautics', 'mautics.id', 'mautic_states.mautic_id')
      .select('mautic_id')
      .where('is_published', '=', true)
      .where('due_at', '<=', await this.#storage.now())
    return (await query.orderBy('mautic_id').execute()).map((row) => row.mautic_id)
  }

  /** Takes a Mautic for this process. Returns its state, or undefined where another process has it. */
  async claim(mauticId: number): Promise<ClaimedState | undefined> {
    await this.#addMissing()
    const now = await this.#storage.now()
    const row = await this.#db
      .updateTable('mautic_states')
      .set({ claimed_until: now + leaseMs })
      .where('mautic_id', '=', mauticId)
      .where((is) => is.or([is('claimed_until', 'is', null), is('claimed_until', '<=', now)]))
      .returningAll()
      .executeTakeFirst()
    return row as ClaimedState | undefined
  }

  /** Makes a claim last longer. Returns whether this process still has the Mautic. */
  async renew(state: ClaimedState): Promise<boolean> {
    const now = await this.#storage.now()
    const renewed = { claimed_until: now + leaseMs }
    const update = this.#updateClaimed(state).set(renewed).where('claimed_until', '>', now)
    if ((await update.executeTakeFirst()).numUpdatedRows === 0n) return false
    Object.assign(state, renewed)
    return true
  }

  /** Writes the result of a run and ends the claim. The Mautic is due again after `nextMs`. */
  async finish(state: ClaimedState, result: RunResult, nextMs: number): Promise<void> {
    const now = await this.#storage.now()
    const { kind, problem } = result
    await this.#updateClaimed(state)
      .set((set) => ({
        claimed_until: null,
        due_at: now + nextMs,
        problem,
        problem_since: problem === null ? null : firstTime(set, now),
        ...(kind === 'changes' || kind === 'all' ? { polled_at: now } : {}),
        ...(kind === 'all' ? { synchronized_at: now } : {}),
        ...(kind === 'reinstalled' ? { is_reinstalled: true } : {}),
      }))
      .execute()
  }

  /** Ends a claim without a result. */
  async release(state: ClaimedState): Promise<void> {
    await this.#updateClaimed(state).set({ claimed_until: null }).execute()
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
    const state = { ...unread, is_reinstalled: false, due_at: 0 }
    const update = this.#db.updateTable('mautic_states').set(state)
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

  #updateClaimed({ mautic_id: mauticId, claimed_until: claimedUntil }: ClaimedState) {
    const update = this.#db.updateTable('mautic_states').where('mautic_id', '=', mauticId)
    return update.where('claimed_until', '=', claimedUntil)
  }

  /** Creates the states of new Mautics. */
  async #addMissing(): Promise<void> {
    const known = this.#db.selectFrom('mautic_states').select('mautic_id')
    const missing = this.#db.selectFrom('mautics').select('id').where('id', 'not in', known)
    const rows = (await missing.execute()).map(({ id }) => ({
      ...unread,
      mautic_id: id,
      due_at: 0,
      claimed_until: null,
      is_reinstalled: false,
    }))
    if (rows.length === 0) return
    const insert = this.#db.insertInto('mautic_states').values(rows)
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
  }
}

const unread = { polled_at: null, synchronized_at: null, problem: null, problem_since: null }

/** The time of the first of the same problems stays. */
function firstTime(set: ExpressionBuilder<MauticTables, 'mautic_states'>, now: number) {
  return set.fn.coalesce('problem_since', set.val(now))
}
