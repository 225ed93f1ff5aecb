import { type Kysely, sql } from 'kysely'
import { createLookUp, type Storage } from '../storage/index.ts'
import type { AssignmentTables, EmailTransportRow } from './table.ts'

/** The assignment of an email. */
export interface EmailAssignment {
  transportId: number | null
  useOwnerTransport: boolean
}

/** Changes of assignments. */
export interface AssignmentChanges {
  /** Default of `useOwnerTransport`: unchanged. Throws ConstraintError where email or transport does not exist. */
  assignToEmail(emailId: number, assignment: Partial<EmailAssignment>): Promise<void>
  removeFromEmail(emailId: number): Promise<void>
  assignToUser(userId: number, transportId: number): Promise<void>
  removeFromUser(userId: number): Promise<void>
}

/** The stored assignments. */
export interface AssignmentStore extends AssignmentChanges {
  findForEmail(emailId: number): Promise<EmailAssignment | undefined>
  findForUser(userId: number): Promise<number | undefined>
}

export function openAssignmentStore(storage: Storage): AssignmentStore {
  const db = storage.tables<AssignmentTables>()
  const ofEmail = createLookUp<EmailTransportRow>(storage, () =>
    db.selectFrom('email_transports').selectAll().where('email_id', '=', 0).compile(),
  )
  const ofUser = createLookUp<{ transport_id: number }>(storage, () =>
    db.selectFrom('user_transports').select('transport_id').where('user_id', '=', 0).compile(),
  )
  return {
    async findForEmail(emailId) {
      const row = await ofEmail(emailId)
      return row === undefined ? undefined : toAssignment(row)
    },
    async findForUser(userId) {
      return (await ofUser(userId))?.transport_id
    },
    ...changesIn(storage.tables<object>()),
  }
}

/** The changes on a database, or in a transaction. */
export function changesIn(tx: Kysely<object>): AssignmentChanges {
  const db = tx.withTables<AssignmentTables>()
  return {
    async assignToEmail(emailId, { transportId = null, useOwnerTransport }) {
      const change = {
        transport_id: transportId,
        ...(useOwnerTransport === undefined ? {} : { use_owner_transport: useOwnerTransport }),
      }
      await db
        .insertInto('email_transports')
        .values({ email_id: emailId, use_owner_transport: false, ...change })
        .onConflict((conflict) => conflict.column('email_id').doUpdateSet(change))
        .execute()
    },
    async removeFromEmail(emailId) {
      await db.deleteFrom('email_transports').where('email_id', '=', emailId).execute()
    },
    async assignToUser(userId, transportId) {
      const change = { transport_id: transportId }
      await db
        .insertInto('user_transports')
        .values({ user_id: userId, ...change })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(change))
        .execute()
    },
    async removeFromUser(userId) {
      await db.deleteFrom('user_transports').where('user_id', '=', userId).execute()
    },
  }
}

function toAssignment(row: EmailTransportRow): EmailAssignment {
  return {
    transportId: row.transport_id,
    useOwnerTransport: Boolean(row.use_owner_transport),
  }
}

/** Describes what a deleted transport was assigned to: `It was assigned to 1 email and 2 users.` Undefined for nothing. */
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

/** How many emails and users transports are assigned to, in the order of the ids. */
export async function countUses(
  db: Kysely<object>,
  ids: readonly number[],
): Promise<{ emails: number; users: number }[]> {
  const tables = db.withTables<AssignmentTables>()
  const countIn = async (table: 'email_transports' | 'user_transports') => {
    const rows = await tables
      .selectFrom(table)
      .select((select) => ['transport_id', select.fn.countAll().as('uses')])
      .where('transport_id', 'in', ids)
      .groupBy('transport_id')
      .execute()
    return new Map(rows.map((row) => [row.transport_id, Number(row.uses)]))
  }
  const emails = await countIn('email_transports')
  const users = await countIn('user_transports')
  return ids.map((id) => ({ emails: emails.get(id) ?? 0, users: users.get(id) ?? 0 }))
}

function countOf(count: number, what: string): string | undefined {
  if (count === 0) return undefined
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Describes the assignment that ends with a deleted user. Undefined where the user has none. */
export async function describeUserAssignment(
  userId: number,
  db: Kysely<object>,
): Promise<string | undefined> {
  const query = db.withTables<AssignmentTables>().selectFrom('user_transports')
  const assigned = query.select('transport_id').where('user_id', '=', userId)
  const id = (await assigned.executeTakeFirst())?.transport_id
  return id === undefined ? undefined : `The assignment of transport ${id} to the user has ended.`
}
