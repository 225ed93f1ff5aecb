import { type Kysely, sql, type Transaction } from 'kysely'
import { batches } from '../../kit/batches.ts'
import type { Released } from '../../platform/resource/index.ts'
import type { AssignmentTables, EmailTransportRow } from './table.ts'
import { type AssignedIds, describeAssignments, readAssigned } from './uses.ts'

type Tables = AssignmentTables & Record<'mautics' | 'transports', { id: number }>

/**
 * Names the assignments of a transport that is being deleted. The database ends them with the transport; the rows of emails
 * keep its id, which is given to no other transport.
 */
export async function releaseTransport(id: number, tx: Transaction<object>): Promise<Released> {
  const related = await readAssigned(id, tx)
  if (related.length === 0) return {}
  const db = tx.withTables<Tables>()
  for (const table of emailTables) {
    const assigned = db.updateTable(table).where('transport_id', '=', id)
    await assigned.set({ deleted_transport_id: id }).execute()
  }
  return { consequence: describeAssignments(related), related }
}

const emailTables = ['email_transports', 'mautic_email_transports'] as const

/** Rows in one statement. */
const rowsPerBatch = 1_000

/**
 * Assigns a restored transport to the emails and users that it was assigned to, except those that were deleted or have
 * another transport by now. Returns these exceptions, as sentences.
 */
export async function restoreTransport(
  id: number,
  related: unknown,
  tx: Transaction<object>,
): Promise<string[]> {
  const db = tx.withTables<Tables>()
  const sentences: string[] = []
  const restoredEmails = await restoreEmails(db, id)
  for (const { mautic, emails, users } of (related ?? []) as AssignedIds[]) {
    const restoredUsers = new Set<number>()
    for (const ids of batches(users, rowsPerBatch))
      for (const user of await restoreUsers(db, { id, mautic, ids })) restoredUsers.add(user)
    const leftEmails = describeLeft('email', emails, restoredEmails.get(mautic))
    const left = [...leftEmails, ...describeLeft('user', users, restoredUsers)]
    if (left.length === 0) continue
    const owner = mautic === null ? '' : ` of Mautic ${mautic}`
    sentences.push(
      `It is not assigned again to ${left.join(' and ')}${owner}: deleted, or assigned to another transport by now.`,
    )
    if (mautic === null && leftEmails.length > 0)
      sentences.push('If a deleted email is restored, it is assigned again.')
  }
  return sentences
}

/** The row of an email stays when its transport is deleted. Returns the ids of the emails, by Mautic. */
async function restoreEmails(
  db: Kysely<Tables>,
  id: number,
): Promise<ReadonlyMap<number | null, ReadonlySet<number>>> {
  const change = { transport_id: id, deleted_transport_id: null }
  const byMautic = new Map<number | null, Set<number>>()
  for (const table of emailTables) {
    const assign = db.updateTable(table).set(change).where('deleted_transport_id', '=', id)
    for (const row of await assign.returningAll().execute()) {
      const mautic = 'mautic_id' in row ? row.mautic_id : null
      const emails = byMautic.get(mautic) ?? new Set()
      byMautic.set(mautic, emails.add(row.email_id))
    }
  }
  return byMautic
}

interface Restoring {
  /** The transport. */
  id: number
  mautic: number | null
  ids: readonly number[]
}

/** The row of a user is deleted with the transport. */
async function restoreUsers(db: Kysely<Tables>, { id, mautic, ids }: Restoring): Promise<number[]> {
  if (mautic === null) {
    const { rows } = await sql<{ id: number }>`
      insert into user_transports (user_id, transport_id)
      select id, cast(${id} as bigint) from users where id in (${sql.join(ids)})
      on conflict do nothing returning user_id as id`.execute(db)
    return rows.map((row) => row.id)
  }
  if (!(await exists(db, 'mautics', mautic))) return []
  const rows = await db
    .insertInto('mautic_user_transports')
    .values(ids.map((userId) => ({ mautic_id: mautic, user_id: userId, transport_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .execute()
  return rows.map((row) => row.user_id)
}

async function exists(
  db: Kysely<Tables>,
  table: 'mautics' | 'transports',
  id: number,
): Promise<boolean> {
  const record = db.selectFrom(table).select('id').where('id', '=', id)
  return (await record.executeTakeFirst()) !== undefined
}

const namedMax = 10

function describeLeft(
  noun: string,
  ids: readonly number[],
  restored: ReadonlySet<number> | undefined,
) {
  const left = ids.filter((id) => restored?.has(id) !== true)
  if (left.length === 0) return []
  const named = left.slice(0, namedMax).join(', ')
  const more = left.length > namedMax ? ` and ${left.length - namedMax} more` : ''
  return [`${noun}${left.length === 1 ? '' : 's'} ${named}${more}`]
}

/** The assignment of an email, to be restored with the email. Earlier versions kept it without `deleted_transport_id`. */
type KeptAssignment = Omit<EmailTransportRow, 'deleted_transport_id'> & Partial<EmailTransportRow>

/** Reads the assignment of an email that is being deleted. The database ends it with the email. */
export async function releaseEmail(id: number, tx: Transaction<object>): Promise<Released> {
  const db = tx.withTables<Tables>()
  const query = db.selectFrom('email_transports').selectAll().where('email_id', '=', id)
  return { related: (await query.executeTakeFirst()) ?? null }
}

/**
 * Restores what `releaseEmail` read. If the transport is deleted, it is assigned when it is restored. Returns what could not
 * be restored, as sentences.
 */
export async function restoreEmail(
  _id: number,
  related: unknown,
  tx: Transaction<object>,
): Promise<string[]> {
  if (related === null || related === undefined) return []
  const row = related as KeptAssignment
  const transportId = row.transport_id ?? row.deleted_transport_id ?? null
  const db = tx.withTables<Tables>()
  const isDeleted = transportId !== null && !(await exists(db, 'transports', transportId))
  const values = {
    ...row,
    transport_id: isDeleted ? null : transportId,
    deleted_transport_id: isDeleted ? transportId : null,
  }
  await db.insertInto('email_transports').values(values).execute()
  if (!isDeleted) return []
  return [
    `Transport ${transportId}, which it was assigned to, is deleted. If the transport is restored, it is assigned again.`,
  ]
}
