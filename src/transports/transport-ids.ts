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
