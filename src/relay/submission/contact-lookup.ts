import type { ContactRow, ContactTables } from '../../contacts/index.ts'
import { emailKey } from '../../kit/email-key.ts'
import type { Eventual } from '../../kit/eventual.ts'
import { createLookUp, type Storage } from '../../storage/index.ts'

/** Finds whom a message is for. */
export interface ContactLookup {
  byId(id: number): Eventual<ContactRow | undefined>
  byAddress(address: string): Eventual<ContactRow | undefined>
}

export function openContactLookup(storage: Storage): ContactLookup {
  const db = storage.tables<ContactTables>()
  const select = () => db.selectFrom('contacts').selectAll()
  const byId = createLookUp<ContactRow>(storage, () => select().where('id', '=', 0).compile())
  const byKey = createLookUp<ContactRow>(storage, () =>
    select().where('email_key', '=', '').compile(),
  )
  return { byId: (id) => byId(id), byAddress: (address) => byKey(emailKey(address)) }
}
