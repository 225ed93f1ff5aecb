import type { MauticDirectory } from '../delivery/index.ts'
import { emailKey } from '../kit/normalize-for-search.ts'
import type { Mautics, MauticTables } from '../mautic/index.ts'
import type { Storage } from '../storage/index.ts'

/** Finds what is stored of the emails and users of Mautics. */
export function openStoredMautics(
  storage: Storage,
  mautics: Pick<Mautics, 'findById'>,
): MauticDirectory {
  const db = storage.tables<MauticTables>()
  return {
    findById: (id) => mautics.findById(id),
    emails: {
      find: (mauticId, id) =>
        db
          .selectFrom('mautic_emails')
          .select(['id', 'name'])
          .where('mautic_id', '=', mauticId)
          .where('id', '=', id)
          .executeTakeFirst(),
    },
    users: {
      find: (mauticId, id) =>
        db
          .selectFrom('mautic_users')
          .select(['id', 'username', 'email'])
          .where('mautic_id', '=', mauticId)
          .where('id', '=', id)
          .executeTakeFirst(),
      findByEmail: (mauticId, address) =>
        db
          .selectFrom('mautic_users')
          .select(['id', 'username'])
          .where('mautic_id', '=', mauticId)
          .where('email_key', '=', emailKey(address))
          .executeTakeFirst(),
    },
    contacts: { find: async () => undefined },
    sends: {
      find: (mauticId, hash) =>
        db
          .selectFrom('mautic_sends')
          .select(['email_id', 'contact_id', 'address_key'])
          .where('mautic_id', '=', mauticId)
          .where('hash', '=', hash)
          .executeTakeFirst(),
    },
  }
}
