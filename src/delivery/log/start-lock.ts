import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'

/** The process whose transactions hold the lock. */
export interface StartLockOptions {
  storage: Pick<Storage, 'kind'>
  processId: string
}

/** The key of an advisory lock of PostgreSQL. */
function keyOf(processId: string): RawBuilder<unknown> {
  return sql`hashtextextended(${sql.lit(`mailyard:starts:${processId}`)}, 0)`
}

/**
 * A column for the statement that starts attempts: its transaction holds a shared lock until it ends, even if its
 * connection is lost. SQLite needs none: it answers in this process.
 */
export function holdStartLock({ storage, processId }: StartLockOptions): RawBuilder<unknown> {
  return storage.kind === 'postgres'
    ? sql`pg_advisory_xact_lock_shared(${keyOf(processId)})`
    : sql`null`
}

/** Whether all transactions of this process that started attempts have ended: each is committed or rolled back. */
export async function areStartsOver(
  tx: QueryExecutorProvider,
  { storage, processId }: StartLockOptions,
): Promise<boolean> {
  if (storage.kind === 'sqlite') return true
  const free = sql<{ is_free: boolean }>`select pg_try_advisory_xact_lock(${keyOf(processId)})
    as is_free`
  return (await free.execute(tx)).rows[0]?.is_free === true
}
