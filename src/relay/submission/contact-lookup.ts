import { sql } from 'kysely'
import type { ContactRow, ContactTables } from '../../contacts/index.ts'
import type { Eventual } from '../../kit/eventual.ts'
import { fold } from '../../kit/fold.ts'
import { createLookUp, type Storage } from '../../storage/index.ts'

/** Finds whom a message is for. */
export interface ContactLookup {
  byId(id: number): Eventual<ContactRow | undefined>
  /** The oldest with this address. */
  byAddress(address: string): Eventual<ContactRow | undefined>
}

export function openContactLookup(storage: Storage): ContactLookup {
  const db = storage.tables<ContactTables>()
  const select = () => db.selectFrom('contacts').selectAll()
  const byId = createLookUp<ContactRow>(storage, () => select().where('id', '=', 0).compile())
  // As a parameter, the limit would have SQLite plan the query anew for each message.
  const byKey = createLookUp<ContactRow>(storage, () =>
    select().where('email_key', '=', '').orderBy('id').limit(sql.lit(1)).compile(),
  )
  return { byId: (id) => byId(id), byAddress: (address) => byKey(fold(address)) }
}
