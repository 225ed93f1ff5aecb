import { pause } from '../kit/pause.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import { openDkimSecrets } from './dkim-secrets.ts'
import type { DkimKeyRow, DkimTables } from './table.ts'

/**
 * Why a key needs a person: its private half cannot be decrypted, its record is gone, or the record of the key or of its rotation
 * was not found within a day.
 */
export type KeyFailure = 'unreadable' | 'missing' | 'waiting' | 'rotating'

/** A key that needs a person. */
export interface FailingKey extends Pick<DkimKeyRow, 'id' | 'domain'> {
  failure: KeyFailure
  /** Since when, in milliseconds since the epoch; null where it is not known. */
  since: number | null
  /** What the last look-up found, as sentences. */
  problem: string | null
}

const dayMs = 86_400_000
const rowsMax = 1_000
const rowsPerPage = 200

/** Lists the published keys that need a person: at most 1,000 that cannot be decrypted, and as many for what DNS has. */
export async function listFailingKeys(
  { storage, keyring }: { storage: Storage; keyring: Keyring },
  now: number,
): Promise<FailingKey[]> {
  const unreadable = await listUnreadable(storage, keyring)
  const ids = new Set(unreadable.map(({ id }) => id))
  const inDns = await listUnpublished(storage, now)
  return [...unreadable, ...inDns.filter(({ id }) => !ids.has(id))]
}

/** Lists the keys that cannot be decrypted, because their data key is missing. */
async function listUnreadable(storage: Storage, keyring: Keyring): Promise<FailingKey[]> {
  const secrets = openDkimSecrets(storage, keyring)
  const keys: FailingKey[] = []
  for (let after = 0; keys.length < rowsMax; ) {
    const rows = await storage
      .tables<DkimTables>()
      .selectFrom('dkim_keys')
      .select(['id', 'domain', 'private_key'])
      .where('is_published', '=', true)
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsPerPage)
      .execute()
    for (const row of rows) {
      const { id, domain } = row
      const text = await secrets.open(row, 'private_key', { isMany: true })
      if (text === undefined)
        keys.push({ id, domain, failure: 'unreadable', since: null, problem: null })
    }
    after = rows.at(-1)?.id ?? 0
    if (rows.length < rowsPerPage) break
    await pause()
  }
  return keys
}

/** Lists the keys whose record, or that of their rotation, is not in DNS. */
async function listUnpublished(storage: Storage, now: number): Promise<FailingKey[]> {
  const rows = await storage
    .tables<DkimTables>()
    .selectFrom('dkim_keys')
    .select(['id', 'domain', 'state', 'problem', 'absent_since', 'date_added'])
    .select(['next_added_at', 'next_problem'])
    .where('is_published', '=', true)
    .where((where) =>
      where.or([
        where('state', '=', 'missing'),
        where.and([where('state', '=', 'waiting'), where('date_added', '<', now - dayMs)]),
        where('next_added_at', '<', now - dayMs),
      ]),
    )
    .orderBy('id')
    .limit(rowsMax)
    .execute()
  return rows.map((row) => {
    const { id, domain, state, problem } = row
    if (state === 'missing') return { id, domain, failure: state, since: row.absent_since, problem }
    if (state === 'waiting') return { id, domain, failure: state, since: row.date_added, problem }
    const { next_added_at: since, next_problem: nextProblem } = row
    return { id, domain, failure: 'rotating', since, problem: nextProblem }
  })
}
