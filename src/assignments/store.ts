import { createLookUp, type Storage } from '../storage/index.ts'
import type { AssignmentTables, EmailTransportRow } from './table.ts'

/** What an email's assignment says. */
export interface EmailAssignment {
  transportId: number | null
  useOwnerTransport: boolean
}

/** Where assignments are kept. */
export interface AssignmentStore {
  findForEmail(emailId: number): Promise<EmailAssignment | undefined>
  /** Left out, `useOwnerTransport` stays what it was. Throws ConstraintError for what is not there. */
  assignToEmail(emailId: number, assignment: Partial<EmailAssignment>): Promise<void>
  removeFromEmail(emailId: number): Promise<void>
  findForUser(userId: number): Promise<number | undefined>
  assignToUser(userId: number, transportId: number): Promise<void>
  removeFromUser(userId: number): Promise<void>
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
    async findForUser(userId) {
      return (await ofUser(userId))?.transport_id
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
