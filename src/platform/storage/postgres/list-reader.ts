import { type CompiledQuery, Kysely, type QueryResult, type RawBuilder, sql } from 'kysely'
import { WorkQueue } from '../../../kit/work-queue.ts'
import type { DatabaseOptions, ListReader } from '../database.ts'
import { listTimeMs, listTooSlow } from '../storage-error.ts'
import { createDialect } from './dialect.ts'
import { translateError } from './errors.ts'
import { openPool, type TimeLimits } from './pool.ts'

/** The connections for lists. Those of changes, log-ins and health checks are others. */
const connectionsMax = 4

/** Reads lists on connections of their own, whose statements the server stops in time. */
export class PostgresListReader implements ListReader {
  readonly isInTime: RawBuilder<boolean> = sql<boolean>`true`
  readonly #db: Kysely<unknown>
  readonly #queue = new WorkQueue({ runningMax: 2, totalMax: connectionsMax })

  constructor(options: DatabaseOptions, limits: TimeLimits) {
    const statementMs = options.listTimeMs ?? listTimeMs
    const pool = openPool(options, { ...limits, statementMs }, { max: connectionsMax })
    this.#db = new Kysely({ dialect: createDialect(pool, translateListError) })
  }

  read<Row>(owner: string, query: CompiledQuery, isAccepted: boolean): Promise<QueryResult<Row>> {
    return this.#queue.run(owner, () => this.#db.executeQuery<Row>(query), isAccepted)
  }

  contains(text: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
    return sql`${text} like ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`}`
  }

  natural(text: RawBuilder<unknown>): RawBuilder<string> {
    const padded = sql`regexp_replace(${text}, '([0-9]+)', '000000000\\1', 'g')`
    return sql`regexp_replace(${padded}, '[0-9]*([0-9]{10})', '\\1', 'g')`
  }

  close(): Promise<void> {
    return this.#db.destroy()
  }
}

/** The server reports `query_canceled` when the time of a statement is over. */
function translateListError(error: unknown, isLasting: boolean): unknown {
  const isOutOfTime = error instanceof Error && 'code' in error && error.code === '57014'
  return isOutOfTime ? listTooSlow(error) : translateError(error, isLasting)
}
