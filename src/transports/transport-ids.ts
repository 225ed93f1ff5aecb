import type { Transaction } from 'kysely'
import type { TransportTables } from './table.ts'

/** Returns those of the ids that transports have, for records that name transports. */
export async function findTransportIds(
  ids: readonly number[],
  tx: Transaction<object>,
): Promise<number[]> {
  const query = tx.withTables<TransportTables>().selectFrom('transports').select('id')
  return (await query.where('id', 'in', [...ids]).execute()).map(({ id }) => id)
}

/** Returns those of the ids that transports have, and the Mautic that each belongs to; null: all messages may use it. */
export async function findTransportOwners(
  ids: readonly number[],
  tx: Transaction<object>,
): Promise<Map<number, number | null>> {
  const query = tx
    .withTables<TransportTables>()
    .selectFrom('transports')
    .select(['id', 'mautic_id'])
  const rows = await query.where('id', 'in', [...ids]).execute()
  return new Map(rows.map((row) => [row.id, row.mautic_id]))
}
