import { type Keyring, SealedColumns, type Storage } from '../../../platform/storage/index.ts'

/** The private keys, which are encrypted in the database. */
export type DkimSecrets = SealedColumns<'private_key'>

export function openDkimSecrets(storage: Storage, keyring: Keyring): DkimSecrets {
  return new SealedColumns({
    storage,
    keyring,
    table: 'dkim_keys',
    keyColumns: ['id'],
    columns: ['private_key'],
  })
}
