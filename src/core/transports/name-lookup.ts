import { type SqlBool, sql } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { noBrand } from '../../kit/caller.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { createLookUp, type Storage } from '../../platform/storage/index.ts'
import type { TransportRow, TransportTables } from './table.ts'

/** As many as an error message lists. */
const sameNameMax = 11

/**
 * Finds the transports with a name, at most 11, by id. Letter case and outer blanks do not matter. `brand`: only those
 * through which messages of this brand may be sent; null: all.
 */
export type FindByName = (name: string, brand: number | null) => Promise<TransportRow[]>

export function openNameLookup(storage: Storage): FindByName {
  const db = storage.tables<TransportTables>()
  const named = () => db.selectFrom('transports').selectAll().orderBy('id')
  // Rows are read one at a time because SQLite does that synchronously, and each message that names a transport needs it.
  const next = createLookUp(storage, (after: { key: string; id: number; brand: number | null }) =>
    named()
      .where('name_key', '=', after.key)
      .where('id', '>', after.id)
      .where(isUsable(after.brand))
      .limit(sql.lit(1)),
  )
  return async (name, brand) => {
    const key = nameKey(name)
    const first = await next({ key, id: 0, brand })
    if (first === undefined) return []
    if ((await next({ key, id: first.id, brand })) === undefined) return [first]
    const all = named().where('name_key', '=', key).where(isUsable(brand))
    return all.limit(sameNameMax).execute()
  }
}

/** As `mayUse`, as a condition of a query. */
function isUsable(brand: number | null) {
  return sql<SqlBool>`(brand_id = ${sql.lit(noBrand)} or brand_id = coalesce(${brand}, brand_id))`
}

/** The error for a name that several transports have. */
export const transportNameAmbiguous = (name: string, ids: readonly number[]) =>
  new AppError(
    'invalid',
    'transport_name_ambiguous',
    `Several transports are named ${JSON.stringify(name.slice(0, 100))}: ${ids.join(', ')}. Use the id of one of them.`,
  )
