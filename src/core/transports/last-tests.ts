import { type Kysely, type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import Type from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { nullable } from '../../platform/http/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { TransportRow, TransportTables, TransportTestRow } from './table.ts'
import type { TestResult } from './test-message.ts'

/** See `openLastTests`. */
export type LastTests = ReturnType<typeof openLastTests>

const messageLengthMax = 2_000

/** Opens the last test of each transport. An edit of the DSN deletes it. */
export function openLastTests({ storage, clock }: { storage: Storage; clock: Clock }) {
  const db = storage.tables<TransportTables>()
  return {
    /** Nothing is stored if the transport has another DSN by now. */
    async save(
      row: Pick<TransportRow, 'id' | 'mailer_dsn'>,
      result: TestResult,
      caller: Caller,
    ): Promise<void> {
      await storage.transaction(async (tx: Transaction<object>) => {
        const tables = tx.withTables<TransportTables>()
        const current = tables.selectFrom('transports').select('id').where('id', '=', row.id)
        const same = current.where('mailer_dsn', '=', row.mailer_dsn).forUpdate()
        if ((await same.executeTakeFirst()) === undefined) return
        await writeLastTest(tx, row.id, columnsOfTest(result, caller, clock.now()))
      })
    },
    /** The member `lastTest` of a list. */
    extra: {
      schema: lastTestSchema,
      async find(ids: readonly number[]): Promise<readonly unknown[]> {
        const query = db.selectFrom('transport_tests').selectAll()
        const rows = await query.where('transport_id', 'in', ids).execute()
        const byId = new Map(rows.map((row) => [row.transport_id, row]))
        return ids.map((id) => {
          const row = byId.get(id)
          if (row === undefined) return null
          return {
            date: formatDate(row.tested_at),
            testedBy: row.tested_by,
            success: Boolean(row.success),
            message: row.message,
            stage: row.stage,
            durationMs: row.duration_ms,
          }
        })
      },
    },
  }
}

/** What is stored of a test message. */
export function columnsOfTest(
  { success, message, durationMs, stages }: TestResult,
  caller: Caller,
  testedAt: number,
): StoredTest {
  const failed = stages.findLast(({ outcome }) => outcome === 'failed')
  return {
    tested_at: testedAt,
    tested_by: caller.name,
    success,
    message: message.slice(0, messageLengthMax),
    duration_ms: durationMs,
    stage: success ? null : (failed?.stage ?? null),
  }
}

/** A test, without what was tested. */
type StoredTest = Omit<TransportTestRow, 'transport_id'>

/** Writes the last test of a transport, in the transaction that writes or has locked its DSN. */
export async function writeLastTest(
  tx: Transaction<object>,
  id: number,
  test: StoredTest,
): Promise<void> {
  await tx
    .withTables<TransportTables>()
    .insertInto('transport_tests')
    .values({ transport_id: id, ...test })
    .onConflict((conflict) => conflict.column('transport_id').doUpdateSet(test))
    .execute()
}

/** Deletes the last test of a transport, in the transaction that changes its DSN. */
export async function removeLastTest(tx: QueryExecutorProvider, id: number): Promise<void> {
  await sql`delete from transport_tests where transport_id = ${id}`.execute(tx)
}

/** Finds the last test of a transport, with its present DSN. */
export async function findLastTest(
  db: Kysely<object>,
  id: number,
): Promise<TransportTestRow | undefined> {
  const query = db.withTables<TransportTables>().selectFrom('transport_tests').selectAll()
  const row = await query.where('transport_id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : { ...row, success: Boolean(row.success) }
}

/** Writes back the last test of a transport that is being restored. */
export async function restoreLastTest(
  tx: Transaction<object>,
  test: TransportTestRow | null,
): Promise<void> {
  if (test === null) return
  await tx.withTables<TransportTables>().insertInto('transport_tests').values(test).execute()
}

const lastTestSchema = Type.Union(
  [
    Type.Object({
      date: Type.String({ format: 'date-time' }),
      testedBy: nullable(Type.String()),
      success: Type.Boolean(),
      message: Type.String({ description: 'What failed, and what to do. It holds no secret.' }),
      stage: nullable(Type.String(), { description: 'The stage that failed; null for none.' }),
      durationMs: Type.Integer(),
    }),
    Type.Null(),
  ],
  { description: 'With `?with=lastTest`: the last test of this DSN; null for none.' },
)
