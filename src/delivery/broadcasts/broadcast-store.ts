import { type Kysely, sql, type Transaction } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { storableText } from '../log/delivery-row.ts'
import { broadcastCounters } from '../outcomes.ts'
import { endBroadcast, isSettled } from './counts.ts'
import type { BroadcastRow, BroadcastTables } from './table.ts'

/** A broadcast without its list of contacts, which may be long. */
export type BroadcastState = Omit<BroadcastRow, 'contact_ids'>

/** The broadcasts that a worker handles at a time; the others follow. */
const broadcastsPerBatch = 20
/** The due time of a broadcast without queued recipients. Putting a recipient back lowers it. */
export const neverDue = 8_640_000_000_000_000

/** The columns of `BroadcastState`. */
export const stateColumns = [
  'id',
  'email_id',
  'caller',
  'created_at',
  'finished_at',
  'state',
  'problem',
  'segment',
  'is_prepared',
  'prepared_to',
  'due_at',
  'total',
  'skipped',
  ...broadcastCounters,
  'rate_stretch',
  'rate_count',
  'rate_before',
  'braked_at',
  'brake_attempts',
  'brake_refused',
  'message_seed',
  'idempotency_key',
  'request_hash',
] as const satisfies (keyof BroadcastState)[]

/** The queries of the worker for whole broadcasts. */
export interface BroadcastStore {
  /** Finds some broadcasts with due recipients, round-robin: the next ones after an id. */
  findDue(after: number, now: number): Promise<BroadcastState[]>
  /** Finds those of these that run. */
  findRunning(ids: readonly number[]): Promise<BroadcastState[]>
  /** Finds those of these that are done, or that their brake has paused. */
  findEnded(ids: readonly number[]): Promise<BroadcastState[]>
  /** Call it when nothing is due: sets the next due time, or ends the broadcast. */
  updateDueAt(id: number, now: number): Promise<void>
  /** Sets why nothing is sent; null once something is. */
  setProblem(id: number, problem: string | null): Promise<void>
  /** Pauses or cancels a broadcast that cannot be sent, and sets why. */
  stop(
    id: number,
    stop: { state: 'paused' | 'cancelled'; problem: string; now: number },
  ): Promise<void>
}

export function openBroadcastStore(storage: Storage): BroadcastStore {
  const db = storage.tables<BroadcastTables>()
  return {
    async findDue(after, now) {
      const due = (from: number, limit: number) =>
        selectRunning(db)
          .where('id', '>', from)
          .where((where) =>
            where.or([where('due_at', '<=', now), where('is_prepared', '=', false)]),
          )
          .orderBy('id')
          .limit(limit)
          .execute()
      const rows = await due(after, broadcastsPerBatch)
      if (rows.length === broadcastsPerBatch || after === 0) return rows
      const first = await due(0, broadcastsPerBatch - rows.length)
      return [...rows, ...first.filter(({ id }) => id <= after)]
    },
    async findRunning(ids) {
      if (ids.length === 0) return []
      return selectRunning(db)
        .where('id', 'in', [...ids])
        .execute()
    },
    findEnded: (ids) => findEnded(db, ids),
    updateDueAt: (id, now) =>
      storage.transaction((tx: Transaction<BroadcastTables>) => updateDueAt(tx, id, now)),
    async setProblem(id, problem) {
      const text = problem === null ? null : storableText(problem)
      const update = db.updateTable('broadcasts').set({ problem: text }).where('id', '=', id)
      await update.where('state', '=', 'running').execute()
    },
    async stop(id, { state, problem, now }) {
      const finished = state === 'cancelled' ? { finished_at: now } : {}
      const update = db
        .updateTable('broadcasts')
        .set({ state, problem: storableText(problem), ...finished })
      await update.where('id', '=', id).where('state', '=', 'running').execute()
    },
  }
}

async function findEnded(
  db: Kysely<BroadcastTables>,
  ids: readonly number[],
): Promise<BroadcastState[]> {
  if (ids.length === 0) return []
  const among = db
    .selectFrom('broadcasts')
    .select(stateColumns)
    .where('id', 'in', [...ids])
  const isBraked = sql<boolean>`(state = 'paused' and braked_at is not null)`
  return among.where((is) => is.or([is('state', '=', 'done'), isBraked])).execute()
}

function selectRunning(db: Kysely<BroadcastTables>) {
  return db.selectFrom('broadcasts').select(stateColumns).where('state', '=', 'running')
}

async function updateDueAt(
  tx: Transaction<BroadcastTables>,
  id: number,
  now: number,
): Promise<void> {
  // A transaction that puts a recipient back changes this row later, and lowers the due time that is set here.
  const row = await tx
    .selectFrom('broadcasts')
    .select(stateColumns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined || !row.is_prepared) return
  if (isSettled(row)) {
    await endBroadcast(tx, id, now)
    return
  }
  const { rows } = await sql<{ due_at: number | null }>`select min(due_at) as due_at
    from broadcast_recipients where broadcast_id = ${id} and state = 'queued'`.execute(tx)
  const dueAt = rows[0]?.due_at ?? neverDue
  await tx.updateTable('broadcasts').set({ due_at: dueAt }).where('id', '=', id).execute()
}
