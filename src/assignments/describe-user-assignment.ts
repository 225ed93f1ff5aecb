import type { Kysely } from 'kysely'
import type { AssignmentTables } from './table.ts'

/** Says which assignment ends with a user. Undefined where the user has none. */
export async function describeUserAssignment(
  userId: number,
  db: Kysely<object>,
): Promise<string | undefined> {
  const query = db.withTables<AssignmentTables>().selectFrom('user_transports')
  const assigned = query.select('transport_id').where('user_id', '=', userId)
  const id = (await assigned.executeTakeFirst())?.transport_id
  return id === undefined ? undefined : `The assignment of transport ${id} to the user has ended.`
}
