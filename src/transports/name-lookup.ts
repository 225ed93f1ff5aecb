import { sql } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import { nameKey } from '../kit/normalize-for-search.ts'
import { createLookUp, type Storage } from '../storage/index.ts'
import type { TransportRow, TransportTables } from './table.ts'

/** As many as an error message lists. */
const sameNameMax = 11

/** Finds the transports with a name, at most 11, by id. Letter case and outer blanks do not matter. */
export type FindByName = (name: string) => Promise<TransportRow[]>

export function openNameLookup(storage: Storage): FindByName {
  const db = storage.tables<TransportTables>()
  const named = () => db.selectFrom('transports').selectAll().orderBy('id')
  // Rows are read one at a time because SQLite does that synchronously, and each message that names a transport needs it.
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

/** The error for a name that several transports have. */
export const transportNameAmbiguous = (name: string, ids: readonly number[]) =>
  new AppError(
    'invalid',
    'transport_name_ambiguous',
    `Several transports are named ${JSON.stringify(name.slice(0, 100))}: ${ids.join(', ')}. Use the id of one of them.`,
  )
