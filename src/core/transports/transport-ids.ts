import type { Kysely } from 'kysely'
import { type Caller, sees } from '../../kit/caller.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { TransportTables } from './table.ts'

/** Returns those of the ids that transports have, and the brand that each belongs to. */
export async function findTransportBrands(
  ids: readonly number[],
  db: Kysely<object>,
): Promise<Map<number, number>> {
  return new Map((await readTransports(ids, db)).map((row) => [row.id, row.brand_id]))
}

/** Returns the names of transports by their ids; unknown ids are left out. */
export async function findTransportNames(
  storage: Storage,
  ids: readonly number[],
  reader: Pick<Caller, 'brands'> = { brands: 'all' },
): Promise<Map<number, string>> {
  const rows = await readTransports(ids, storage.tables())
  const seen = rows.filter((row) => sees(reader, row.brand_id))
  return new Map(seen.map(({ id, name }) => [id, name]))
}

async function readTransports(ids: readonly number[], db: Kysely<object>) {
  if (ids.length === 0) return []
  const query = db.withTables<TransportTables>().selectFrom('transports')
  const read = query.select(['id', 'name', 'brand_id']).where('id', 'in', [...new Set(ids)])
  return read.execute()
}
