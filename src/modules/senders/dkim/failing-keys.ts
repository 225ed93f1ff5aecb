import { pause } from '../../../kit/pause.ts'
import type { Keyring, Storage } from '../../../platform/storage/index.ts'
import { openDkimSecrets } from './dkim-secrets.ts'
import type { DkimKeyRow, DkimTables } from './table.ts'

/**
 * Why a key needs a person: its private half cannot be decrypted, its record is gone, or was not found within a day.
 */
export type KeyFailure = 'unreadable' | 'missing' | 'waiting'

/** A key that needs a person. */
export interface FailingKey extends Pick<DkimKeyRow, 'id' | 'domain' | 'brand_id' | 'problem'> {
  failure: KeyFailure
  /** Since when, in milliseconds since the epoch; null where it is not known. */
  since: number | null
}

const dayMs = 86_400_000
const rowsMax = 1_000
const rowsPerPage = 200

/** Lists the published keys that need a person, 1,000 at most. */
export async function listFailingKeys(
  { storage, keyring }: { storage: Storage; keyring: Keyring },
  now: number,
): Promise<FailingKey[]> {
  const secrets = openDkimSecrets(storage, keyring)
  const keys: FailingKey[] = []
  for (let after = 0; keys.length < rowsMax; ) {
    const rows = await storage
      .tables<DkimTables>()
      .selectFrom('dkim_keys')
      .select(['id', 'domain', 'brand_id', 'private_key', 'problem'])
      .select(['active_at', 'absent_since', 'date_added'])
      .where('is_published', '=', true)
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsPerPage)
      .execute()
    for (const row of rows) {
      const {
        id,
        domain,
        brand_id,
        problem,
        absent_since: absentSince,
        date_added: dateAdded,
      } = row
      const key = { id, domain, brand_id, problem }
      if ((await secrets.open(row, 'private_key', { isMany: true })) === undefined)
        keys.push({ ...key, failure: 'unreadable', since: null })
      else if (absentSince !== null) keys.push({ ...key, failure: 'missing', since: absentSince })
      else if (row.active_at === null && dateAdded < now - dayMs)
        keys.push({ ...key, failure: 'waiting', since: dateAdded })
    }
    after = rows.at(-1)?.id ?? 0
    if (rows.length < rowsPerPage) break
    await pause()
  }
  return keys
}
