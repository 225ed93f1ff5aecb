import { sql } from 'kysely'
import { nameKey } from '../kit/name-key.ts'
import { createLookUp, type Storage } from '../storage/index.ts'
import type { TransportRow, TransportTables } from './table.ts'

/** Enough to name in a sentence, however many transports share a name. */
const sameNameMax = 11

/** Finds the transports that have a name, whatever its letter case and outer blanks; at most 11, by id. */
export type FindByName = (name: string) => Promise<TransportRow[]>

export function openNameLookup(storage: Storage): FindByName {
  const db = storage.tables<TransportTables>()
  const named = () => db.selectFrom('transports').selectAll().orderBy('id')
  // One row at a time is read at once where the database can: every message that names a transport asks.
  const next = createLookUp<TransportRow>(storage, () =>
    named().where('name_key', '=', '').where('id', '>', 0).limit(sql.lit(1)).compile(),
  )
  return async (name) => {
    const key = nameKey(name)
    const first = await next(key, 0)
    if (first === undefined) return []
    if ((await next(key, first.id)) === undefined) return [first]
    return named().where('name_key', '=', key).limit(sameNameMax).execute()
  }
}
