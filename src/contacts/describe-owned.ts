import type { Kysely } from 'kysely'
import type { ContactTables } from './table.ts'

/** Says which contacts lose their owner with a user: `3 contacts have no owner now.` Undefined where none does. */
export async function describeOwned(
  userId: number,
  db: Kysely<object>,
): Promise<string | undefined> {
  const owned = db.withTables<ContactTables>().selectFrom('contacts').where('owner_id', '=', userId)
  const query = owned.select((row) => row.fn.countAll<number>().as('count'))
  const count = Number((await query.executeTakeFirstOrThrow()).count)
  if (count === 0) return undefined
  return count === 1 ? '1 contact has no owner now.' : `${count} contacts have no owner now.`
}
