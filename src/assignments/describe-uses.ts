import { type Kysely, sql } from 'kysely'

/**
 * Says what a transport is assigned to, for the message of its deletion: `It was assigned to 1 email and 2 users.`
 * Undefined where it is assigned to nothing.
 */
export async function describeUses(
  transportId: number,
  db: Kysely<object>,
): Promise<string | undefined> {
  const { rows } = await sql<{ emails: number; users: number }>`select
    (select count(*) from email_transports where transport_id = ${transportId}) as emails,
    (select count(*) from user_transports where transport_id = ${transportId}) as users`.execute(db)
  const { emails = 0, users = 0 } = rows[0] ?? {}
  const uses = [countOf(Number(emails), 'email'), countOf(Number(users), 'user')].filter(
    (use) => use !== undefined,
  )
  return uses.length === 0 ? undefined : `It was assigned to ${uses.join(' and ')}.`
}

function countOf(count: number, what: string): string | undefined {
  if (count === 0) return undefined
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
