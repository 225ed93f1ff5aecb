import { type Kysely, sql, type Transaction } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { storableText } from '../journal/storable-text.ts'
import { endSending, isSettled } from './counts.ts'
import type { SendingRow, SendingTables } from './table.ts'

/** A sending without its list of contacts, which may be long. */
export type SendingState = Omit<SendingRow, 'contact_ids'>

/** So many sendings are looked after at once; the others have their turn after them. */
const sendingsAtOnce = 20
/** Of a sending of which nobody waits in the queue: whoever puts somebody back says when he is due. */
export const neverDue = 8_640_000_000_000_000

/** The columns of `SendingState`. */
export const stateColumns = [
  'id',
  'email_id',
  'caller',
  'created_at',
  'finished_at',
  'status',
  'problem',
  'segment',
  'is_prepared',
  'prepared_to',
  'due_at',
  'total',
  'skipped',
  'accepted',
  'refused',
  'uncertain',
  'rate_stretch',
  'rate_count',
  'rate_before',
  'message_seed',
  'idempotency_key',
  'request_hash',
] as const satisfies (keyof SendingState)[]

/** What workers ask and tell of whole sendings. */
export interface SendingStore {
  /** Some of the sendings of which something is due: the next ones by id, round and round. */
  findDue(after: number, now: number): Promise<SendingState[]>
  /** Those of these that run. */
  findRunning(ids: readonly number[]): Promise<SendingState[]>
  /** Those of these that are done. */
  findDone(ids: readonly number[]): Promise<SendingState[]>
  /** Nothing is due now: writes down when something is, or that it is done. */
  rest(id: number, now: number): Promise<void>
  /** Says why it does not move; null once it does. */
  setProblem(id: number, problem: string | null): Promise<void>
  /** Stops a sending that cannot go on, and says why. */
  halt(
    id: number,
    halt: { status: 'paused' | 'cancelled'; problem: string; now: number },
  ): Promise<void>
}

export function openSendingStore(storage: Storage): SendingStore {
  const db = storage.tables<SendingTables>()
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
      const rows = await due(after, sendingsAtOnce)
      if (rows.length === sendingsAtOnce || after === 0) return rows
      const first = await due(0, sendingsAtOnce - rows.length)
      return [...rows, ...first.filter(({ id }) => id <= after)]
    },
    async findRunning(ids) {
      if (ids.length === 0) return []
      return selectRunning(db)
        .where('id', 'in', [...ids])
        .execute()
    },
    async findDone(ids) {
      if (ids.length === 0) return []
      const done = db
        .selectFrom('sendings')
        .select(stateColumns)
        .where('id', 'in', [...ids])
      return done.where('status', '=', 'done').execute()
    },
    rest: (id, now) => storage.transaction((tx: Transaction<SendingTables>) => rest(tx, id, now)),
    async setProblem(id, problem) {
      const text = problem === null ? null : storableText(problem)
      const update = db.updateTable('sendings').set({ problem: text }).where('id', '=', id)
      await update.where('status', '=', 'running').execute()
    },
    async halt(id, { status, problem, now }) {
      const finished = status === 'cancelled' ? { finished_at: now } : {}
      const update = db
        .updateTable('sendings')
        .set({ status, problem: storableText(problem), ...finished })
      await update.where('id', '=', id).where('status', '=', 'running').execute()
    },
  }
}

function selectRunning(db: Kysely<SendingTables>) {
  return db.selectFrom('sendings').select(stateColumns).where('status', '=', 'running')
}

async function rest(tx: Transaction<SendingTables>, id: number, now: number): Promise<void> {
  // Whoever puts somebody back into the queue changes this row after that, and lowers what is set here.
  const row = await tx
    .selectFrom('sendings')
    .select(stateColumns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined || !row.is_prepared) return
  if (isSettled(row)) {
    await endSending(tx, id, now)
    return
  }
  const { rows } = await sql<{ due_at: number | null }>`select min(due_at) as due_at
    from sending_recipients where sending_id = ${id} and status = 'queued'`.execute(tx)
  const dueAt = rows[0]?.due_at ?? neverDue
  await tx.updateTable('sendings').set({ due_at: dueAt }).where('id', '=', id).execute()
}
