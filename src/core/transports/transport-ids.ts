import type { Transaction } from 'kysely'
import type { Storage } from '../../platform/storage/index.ts'
import type { TransportTables } from './table.ts'

/** Returns those of the ids that transports have, and the Mautic that each belongs to; null: all messages may use it. */
export async function findTransportOwners(
  ids: readonly number[],
  tx: Transaction<object>,
): Promise<Map<number, number | null>> {
  if (ids.length === 0) return new Map()
  const query = tx
    .withTables<TransportTables>()
    .selectFrom('transports')
    .select(['id', 'mautic_id'])
  const rows = await query.where('id', 'in', [...new Set(ids)]).execute()
  return new Map(rows.map((row) => [row.id, row.mautic_id]))
}

/** Returns the names of transports by their ids; unknown ids are left out. */
export async function findTransportNames(
  storage: Storage,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const query = storage.tables<TransportTables>().selectFrom('transports').select(['id', 'name'])
  const rows = await query.where('id', 'in', [...new Set(ids)]).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
