import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { forgetList } from '../list-removals.ts'
import type { MauticStateRow, MauticTables } from '../table.ts'

/** What is known of the synchronization of each Mautic. Times are the database's, which all processes share. */
export interface StateStore {
  /** Creates the state of new Mautics, and returns the ids of the published ones that are due. */
  findDue(): Promise<number[]>
  /** Takes a Mautic for this process. Returns its state, or undefined where another process has it. */
  claim(mauticId: number, claim: Claim): Promise<MauticStateRow | undefined>
  /** Makes the claim last longer. Returns whether this process still has it. */
  renew(mauticId: number, claim: Claim): Promise<boolean>
  /** Writes the result of a run and ends the claim. */
  finish(mauticId: number, result: RunResult, claim: Claim & { nextMs: number }): Promise<void>
  /** Ends the claim without a result. */
  release(mauticId: number, claim: Claim): Promise<void>
  /** Says that its ids mean other records than before. */
  noteReinstalled(mauticId: number, problem: string): Promise<void>
  /** Forgets what is known of a Mautic, so that everything is read again. */
  forget(mauticId: number): Promise<void>
  find(ids: readonly number[]): Promise<Map<number, MauticStateRow>>
}

/** The process that reads a Mautic, and for how long at most. */
export interface Claim {
  processId: string
  leaseMs: number
}

/** How a run ended. */
export type RunResult =
  /** Emails and users were read. `problem` says what could not be. */
  | { kind: 'changes' | 'all'; problem: string | null; hasMore: boolean }
  | { kind: 'failed'; problem: string }
  | { kind: 'reinstalled'; problem: string }

/** Opens the states. */
export function openStateStore(storage: Storage): StateStore {
  const db = storage.tables<MauticTables>()
  return {
    ...openClaims(storage),
    async findDue() {
      await addMissing(storage)
      const now = await storage.now()
      const query = db
        .selectFrom('mautic_states')
        .innerJoin('mautics', 'mautics.id', 'mautic_states.mautic_id')
        .select('mautic_id')
        .where('is_published', '=', true)
        .where('due_at', '<=', now)
      return (await query.orderBy('mautic_id').execute()).map((row) => row.mautic_id)
    },
    async finish(mauticId, result, { processId, nextMs }) {
      const now = await storage.now()
      await db
        .updateTable('mautic_states')
        .set((set) => ({
          claimed_by: null,
          claimed_until: null,
          due_at: now + nextMs,
          ...(result.problem === null
            ? { problem: null, problem_since: null }
            : problemColumns(set, result.problem, now)),
          ...('hasMore' in result ? { polled_at: now } : {}),
          ...(result.kind === 'all' ? { synchronized_at: now } : {}),
          ...(result.kind === 'reinstalled' ? { is_reinstalled: true } : {}),
        }))
        .where('mautic_id', '=', mauticId)
        .where('claimed_by', '=', processId)
        .execute()
    },
    async noteReinstalled(mauticId, problem) {
      const now = await storage.now()
      await db
        .updateTable('mautic_states')
        .set((set) => ({ ...problemColumns(set, problem, now), is_reinstalled: true }))
        .where('mautic_id', '=', mauticId)
        .execute()
    },
    forget: (mauticId) => forget(db, mauticId),
    async find(ids) {
      if (ids.length === 0) return new Map()
      const query = db.selectFrom('mautic_states').selectAll().where('mautic_id', 'in', ids)
      return new Map((await query.execute()).map((row) => [row.mautic_id, row]))
    },
  }
}

function openClaims(storage: Storage): Pick<StateStore, 'claim' | 'renew' | 'release'> {
  const db = storage.tables<MauticTables>()
  return {
    async claim(mauticId, { processId, leaseMs }) {
      await addMissing(storage)
      const now = await storage.now()
      return db
        .updateTable('mautic_states')
        .set({ claimed_by: processId, claimed_until: now + leaseMs })
        .where('mautic_id', '=', mauticId)
        .where((where) =>
          where.or([where('claimed_until', 'is', null), where('claimed_until', '<=', now)]),
        )
        .returningAll()
        .executeTakeFirst()
    },
    async renew(mauticId, { processId, leaseMs }) {
      const now = await storage.now()
      const { numUpdatedRows } = await db
        .updateTable('mautic_states')
        .set({ claimed_until: now + leaseMs })
        .where('mautic_id', '=', mauticId)
        .where('claimed_by', '=', processId)
        .where('claimed_until', '>', now)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async release(mauticId, { processId }) {
      await db
        .updateTable('mautic_states')
        .set({ claimed_by: null, claimed_until: null })
        .where('mautic_id', '=', mauticId)
        .where('claimed_by', '=', processId)
        .execute()
    },
  }
}

async function forget(db: Kysely<MauticTables>, mauticId: number): Promise<void> {
  for (const table of ['mautic_emails', 'mautic_users', 'mautic_sends'] as const)
    await db.deleteFrom(table).where('mautic_id', '=', mauticId).execute()
  await forgetList(db, mauticId)
  const unknown = { contact_id: null, email_id: null }
  const reports = db.updateTable('mautic_reports').set(unknown)
  await reports.where('mautic_id', '=', mauticId).execute()
  const nothing = { polled_at: null, synchronized_at: null, problem: null, problem_since: null }
  const update = db.updateTable('mautic_states').where('mautic_id', '=', mauticId)
  await update.set({ ...nothing, is_reinstalled: false, due_at: 0 }).execute()
}

/** The time of the first of the same problems stays. */
function problemColumns(
  set: ExpressionBuilder<MauticTables, 'mautic_states'>,
  problem: string,
  now: number,
) {
  return { problem, problem_since: set.fn.coalesce('problem_since', set.val(now)) }
}

/** Creates the states of new Mautics. */
async function addMissing(storage: Storage): Promise<void> {
  const db = storage.tables<MauticTables>()
  const missing = await db
    .selectFrom('mautics')
    .leftJoin('mautic_states', 'mautic_states.mautic_id', 'mautics.id')
    .select('mautics.id')
    .where('mautic_states.mautic_id', 'is', null)
    .execute()
  for (const { id } of missing) {
    const row = { mautic_id: id, due_at: 0, is_reinstalled: false }
    const insert = db.insertInto('mautic_states').values({
      ...row,
      ...{ polled_at: null, synchronized_at: null, claimed_by: null, claimed_until: null },
      ...{ problem: null, problem_since: null },
    })
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
  }
}
