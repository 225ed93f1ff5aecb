import type { Caller } from '../../kit/caller.ts'
import { ownedBy } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { MauticTables } from '../mautic/index.ts'
import type { MauticNames } from './delivery-item.ts'

/** Finds the names of the Mautics that rows came from, by id; only of those that the reader knows. */
export async function findMauticNames(
  storage: Pick<Storage, 'tables'>,
  rows: readonly { mautic_id: number }[],
  reader: Caller,
): Promise<MauticNames> {
  const ids = [...new Set(rows.map((row) => row.mautic_id))].filter((id) => id !== 0)
  if (ids.length === 0) return new Map()
  const query = storage.tables<MauticTables>().selectFrom('mautics').select(['id', 'name'])
  const found = await query.where('id', 'in', ids).where(ownedBy(reader)).execute()
  return new Map(found.map(({ id, name }) => [id, name]))
}
