import type { Storage } from '../storage/index.ts'
import type { DkimKeyRow, DkimTables } from './table.ts'

/** A key whose record is not in DNS. */
export interface FailingKey extends Pick<DkimKeyRow, 'id' | 'domain' | 'state' | 'problem'> {
  /** Since when, in milliseconds since the epoch: for a key that waits, when it was created. */
  since: number
}

const dayMs = 86_400_000
const rowsMax = 1_000

/** Lists the published keys that are missing in DNS, or have waited for their record for more than a day; the oldest first. */
export async function listFailingKeys(storage: Storage, now: number): Promise<FailingKey[]> {
  const rows = await storage
    .tables<DkimTables>()
    .selectFrom('dkim_keys')
    .select(['id', 'domain', 'state', 'problem', 'absent_since', 'date_added'])
    .where('is_published', '=', true)
    .where((where) =>
      where.or([
        where('state', '=', 'missing'),
        where.and([where('state', '=', 'waiting'), where('date_added', '<', now - dayMs)]),
      ]),
    )
    .orderBy('id')
    .limit(rowsMax)
    .execute()
  return rows.map(
    ({ id, domain, state, problem, absent_since: absentSince, date_added: added }) => ({
      id,
      domain,
      state,
      problem,
      since: absentSince ?? added,
    }),
  )
}
