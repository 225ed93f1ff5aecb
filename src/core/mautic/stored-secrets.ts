import { type Keyring, SealedColumns, type Storage } from '../../platform/storage/index.ts'

/** The secrets of the Mautics, which are encrypted in the database. */
export type StoredSecrets = SealedColumns<'secret' | 'webhook_secret'>

export function openStoredSecrets(storage: Storage, keyring: Keyring): StoredSecrets {
  return new SealedColumns({
    storage,
    keyring,
    table: 'mautics',
    keyColumns: ['id'],
    columns: ['secret', 'webhook_secret'],
  })
}
