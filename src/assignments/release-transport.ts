import { type Kysely, sql, type Transaction } from 'kysely'
import type { Released } from '../resource/index.ts'
import type { AssignmentTables } from './table.ts'
import { describeAssignments } from './uses.ts'

/** The ids of the emails and users that a transport was assigned to, in one namespace. */
interface AssignedIds {
  /** The Mautic; null for Mailyard's own emails and users. */
  mautic: number | null
  emails: number[]
  users: number[]
}

/** Names the assignments of a transport that is being deleted. The database ends them with the transport. */
export async function releaseTransport(id: number, tx: Transaction<object>): Promise<Released> {
  const sentence = await describeAssignments(id, tx)
  return sentence === undefined ? {} : { sentence, related: await readAssigned(tx, id) }
}

async function readAssigned(tx: Kysely<object>, id: number): Promise<AssignedIds[]> {
  const db = tx.withTables<AssignmentTables>()
  const read = async (of: 'email' | 'user') => {
    const { rows } = await sql<{ mautic: number | null; id: number }>`
      select null as mautic, ${sql.ref(`${of}_id`)} as id from ${sql.table(`${of}_transports`)}
        where transport_id = ${id}
      union all
      select mautic_id as mautic, ${sql.ref(`${of}_id`)} as id
        from ${sql.table(`mautic_${of}_transports`)} where transport_id = ${id}`.execute(db)
    return rows
  }
  const byMautic = new Map<number | null, AssignedIds>()
  const assignedIn = (mautic: number | null) => {
    const found = byMautic.get(mautic) ?? { mautic, emails: [], users: [] }
    byMautic.set(mautic, found)
    return found
  }
  for (const row of await read('email')) assignedIn(row.mautic).emails.push(row.id)
  for (const row of await read('user')) assignedIn(row.mautic).users.push(row.id)
  return [...byMautic.values()]
}

/** Rows in one statement. */
const rowsPerBatch = 1_000

/**
 * Assigns a restored transport to the emails and users that `releaseTransport` returned, except those that were deleted or
 * have another transport by now. Returns these exceptions, as sentences.
 */
export async function restoreTransport(
  id: number,
  related: unknown,
  tx: Transaction<object>,
): Promise<string[]> {
  const db = tx.withTables<AssignmentTables>()
  const sentences: string[] = []
  for (const { mautic, emails, users } of (related ?? []) as AssignedIds[]) {
    const restored = {
      emails: await inBatches(emails, (ids) => restoreEmails(db, { id, mautic, ids })),
      users: await inBatches(users, (ids) => restoreUsers(db, { id, mautic, ids })),
    }
    const left = [
      ...describeLeft('email', emails, restored.emails),
      ...describeLeft('user', users, restored.users),
    ]
    if (left.length === 0) continue
    const owner = mautic === null ? '' : ` of Mautic ${mautic}`
    sentences.push(
      `It is not assigned again to ${left.join(' and ')}${owner}: deleted, or assigned to another transport by now.`,
    )
  }
  return sentences
}

interface Restoring {
  /** The transport. */
  id: number
  mautic: number | null
  ids: readonly number[]
}

/** The row of an email stays when its transport is deleted. */
async function restoreEmails(
  db: Kysely<AssignmentTables>,
  { id, mautic, ids }: Restoring,
): Promise<number[]> {
  const table = mautic === null ? 'email_transports' : 'mautic_email_transports'
  const isOwn = mautic === null ? sql`1 = 1` : sql`mautic_id = ${mautic}`
  const { rows } = await sql<{ id: number }>`
    update ${sql.table(table)} set transport_id = ${id}
    where email_id in (${sql.join(ids)}) and transport_id is null and ${isOwn}
    returning email_id as id`.execute(db)
  return rows.map((row) => row.id)
}

/** The row of a user is deleted with the transport. */
async function restoreUsers(
  db: Kysely<AssignmentTables>,
  { id, mautic, ids }: Restoring,
): Promise<number[]> {
  const isUser = sql`id in (${sql.join(ids)})`
  if (mautic === null) {
    const { rows } = await sql<{ id: number }>`
      insert into user_transports (user_id, transport_id)
      select id, cast(${id} as bigint) from users where ${isUser}
      on conflict do nothing returning user_id as id`.execute(db)
    return rows.map((row) => row.id)
  }
  const { rows: found } = await sql`select 1 from mautics where id = ${mautic}`.execute(db)
  if (found.length === 0) return []
  const rows = await db
    .insertInto('mautic_user_transports')
    .values(ids.map((userId) => ({ mautic_id: mautic, user_id: userId, transport_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .execute()
  return rows.map((row) => row.user_id)
}

async function inBatches(
  ids: readonly number[],
  restore: (ids: readonly number[]) => Promise<number[]>,
): Promise<Set<number>> {
  const restored = new Set<number>()
  for (let start = 0; start < ids.length; start += rowsPerBatch)
    for (const id of await restore(ids.slice(start, start + rowsPerBatch))) restored.add(id)
  return restored
}

const namedMax = 10

function describeLeft(what: string, ids: readonly number[], restored: ReadonlySet<number>) {
  const left = ids.filter((id) => !restored.has(id))
  if (left.length === 0) return []
  const named = left.slice(0, namedMax).join(', ')
  const more = left.length > namedMax ? ` and ${left.length - namedMax} more` : ''
  return [`${what}${left.length === 1 ? '' : 's'} ${named}${more}`]
}

/** The assignment of an email, to be restored with the email. */
type EmailAssignmentRow = AssignmentTables['email_transports']

/** Reads the assignment of an email that is being deleted. The database ends it with the email. */
export async function releaseEmail(id: number, tx: Transaction<object>): Promise<Released> {
  const db = tx.withTables<AssignmentTables>()
  const query = db.selectFrom('email_transports').selectAll().where('email_id', '=', id)
  return { related: (await query.executeTakeFirst()) ?? null }
}

/** Restores what `releaseEmail` read. Returns what could not be restored, as sentences. */
export async function restoreEmail(related: unknown, tx: Transaction<object>): Promise<string[]> {
  if (related === null || related === undefined) return []
  const row = related as EmailAssignmentRow
  const { transport_id: transportId } = row
  const { rows } = await sql`select 1 from transports where id = ${transportId}`.execute(tx)
  const isThere = transportId === null || rows.length > 0
  const values = { ...row, transport_id: isThere ? transportId : null }
  await tx.withTables<AssignmentTables>().insertInto('email_transports').values(values).execute()
  return isThere ? [] : [`Transport ${transportId}, which it was assigned to, is deleted.`]
}
