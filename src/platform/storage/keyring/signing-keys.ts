import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { keySizeBytes } from '../../../kit/sealing.ts'
import type { Storage } from '../storage.ts'
import { type Keyring, keyIdLength } from './keyring.ts'
import type { KeyringTables } from './table.ts'

/**
 * Returns the key of a purpose, 32 random bytes, and creates it at the first call. It is stored encrypted with the data key
 * and stays the same when the data key is rotated: links in sent emails must stay valid for years.
 */
export async function openSigningKey(
  { storage, keyring }: { storage: Storage; keyring: Keyring },
  purpose: string,
): Promise<Buffer> {
  const db = storage.tables<KeyringTables>()
  const known = await readSealed(db, purpose)
  if (known === undefined) {
    const sealer = await keyring.sealer(db)
    const sealed = sealer.seal(purposeOf(purpose), randomBytes(keySizeBytes).toString('base64'))
    const insert = db.insertInto('signing_keys').values({ purpose, sealed })
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
  }
  // Another process may have created it.
  const sealed = known ?? (await readSealed(db, purpose)) ?? ''
  const text = await keyring.opening((open) => open(purposeOf(purpose), sealed))
  return Buffer.from(text, 'base64')
}

/** Encrypts every signing key with the current data key; returns the ids of the data keys in use. */
export async function resealSigningKeys(storage: Storage, keyring: Keyring): Promise<string[]> {
  const db = storage.tables<KeyringTables>()
  const sealer = await keyring.sealer(db)
  for (const { purpose, sealed } of await db.selectFrom('signing_keys').selectAll().execute()) {
    const text = await keyring.opening((open) => open(purposeOf(purpose), sealed))
    const resealed = sealer.seal(purposeOf(purpose), text)
    await db
      .updateTable('signing_keys')
      .set({ sealed: resealed })
      .where('purpose', '=', purpose)
      .execute()
  }
  const rows = await db.selectFrom('signing_keys').select('sealed').execute()
  return [...new Set(rows.map(({ sealed }) => sealed.slice(0, keyIdLength)))]
}

async function readSealed(db: Kysely<KeyringTables>, purpose: string): Promise<string | undefined> {
  const query = db.selectFrom('signing_keys').select('sealed').where('purpose', '=', purpose)
  return (await query.executeTakeFirst())?.sealed
}

function purposeOf(purpose: string): string {
  return `signing key: ${purpose}`
}
