import { type SqlBool, sql } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { createLookUp, type Storage } from '../../platform/storage/index.ts'
import type { TransportRow, TransportTables } from './table.ts'

/** As many as an error message lists. */
const sameNameMax = 11

/**
 * Finds the transports with a name, at most 11, by id. Letter case and outer blanks do not matter. `mauticId`: only those
 * through which messages of this Mautic may be sent; null: only those of all messages. Default: all.
 */
export type FindByName = (name: string, mauticId?: number | null) => Promise<TransportRow[]>

export function openNameLookup(storage: Storage): FindByName {
  const db = storage.tables<TransportTables>()
  const named = () => db.selectFrom('transports').selectAll().orderBy('id')
  // Rows are read one at a time because SQLite does that synchronously, and each message that names a transport needs it.
  const next = createLookUp(storage, (after: { key: string; id: number; owner: number }) =>
    named()
      .where('name_key', '=', after.key)
      .where('id', '>', after.id)
      .where(isUsable(after.owner))
      .limit(sql.lit(1)),
  )
  return async (name, mauticId = everyMautic) => {
    const key = nameKey(name)
    const owner = mauticId ?? 0
    const first = await next({ key, id: 0, owner })
    if (first === undefined) return []
    if ((await next({ key, id: first.id, owner })) === undefined) return [first]
    const all = named().where('name_key', '=', key).where(isUsable(owner))
    return all.limit(sameNameMax).execute()
  }
}

const everyMautic = -1

/** Whether messages of a Mautic may be sent through it; 0 stands for messages of none. */
function isUsable(mauticId: number) {
  return sql<SqlBool>`(${mauticId} = ${sql.lit(everyMautic)} or coalesce(mautic_id, 0) in (0, ${mauticId}))`
}

/** The error for a name that several transports have. */
export const transportNameAmbiguous = (name: string, ids: readonly number[]) =>
  new AppError(
    'invalid',
    'transport_name_ambiguous',
    `Several transports are named ${JSON.stringify(name.slice(0, 100))}: ${ids.join(', ')}. Use the id of one of them.`,
  )
