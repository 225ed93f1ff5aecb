import type { Kysely, Transaction } from 'kysely'
import type { Storage } from '../../platform/storage/index.ts'
import type { TransportTables } from './table.ts'

/** Returns those of the ids that transports have, and the Mautic that each belongs to; null: all messages may use it. */
export async function findTransportOwners(
  ids: readonly number[],
  tx: Transaction<object>,
): Promise<Map<number, number | null>> {
  return new Map((await readTransports(ids, tx)).map((row) => [row.id, row.mautic_id]))
}

/** Returns the names of transports by their ids; unknown ids are left out. */
export async function findTransportNames(
  storage: Storage,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return new Map((await readTransports(ids, storage.tables())).map(({ id, name }) => [id, name]))
}

async function readTransports(ids: readonly number[], db: Kysely<object>) {
  if (ids.length === 0) return []
  const query = db.withTables<TransportTables>().selectFrom('transports')
  const read = query.select(['id', 'name', 'mautic_id']).where('id', 'in', [...new Set(ids)])
  return read.execute()
}
