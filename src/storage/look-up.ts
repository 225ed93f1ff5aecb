import type { CompiledQuery } from 'kysely'
import type { Eventual } from '../kit/eventual.ts'
import type { Storage } from './storage.ts'

/**
 * A query for at most one row outside of any transaction, answered at once where the database can. Its SQL
 * is compiled at its first use; `build` gives placeholder values, in whose places the parameters are put,
 * in order.
 */
export function createLookUp<Row>(
  storage: Storage,
  build: () => CompiledQuery,
): (...parameters: unknown[]) => Eventual<Row | undefined> {
  let compiled: CompiledQuery | undefined
  return (...parameters) => {
    compiled ??= build()
    return storage.first<Row>({ ...compiled, parameters })
  }
}
