import type { Transaction } from 'kysely'
import type { Consequence } from '../resource/index.ts'
import type { BroadcastTables } from './table.ts'

const namedMax = 10

/**
 * Names the unfinished broadcasts of an email that is being deleted: `Broadcast 3 of it is cancelled.` The worker cancels them.
 * Undefined for none.
 */
export async function describeUnfinished(
  emailId: number,
  tx: Transaction<object>,
): Promise<Consequence | undefined> {
  const query = tx.withTables<BroadcastTables>().selectFrom('broadcasts').select('id')
  const unfinished = query
    .where('email_id', '=', emailId)
    .where('state', 'in', ['running', 'paused'])
  const rows = await unfinished.orderBy('id').limit(namedMax).execute()
  if (rows.length === 0) return undefined
  const ids = rows.map(({ id }) => id).join(', ')
  const sentence =
    rows.length === 1
      ? `Broadcast ${ids} of it is cancelled.`
      : `Its broadcasts ${ids} are cancelled.`
  return { planned: sentence, done: sentence }
}
