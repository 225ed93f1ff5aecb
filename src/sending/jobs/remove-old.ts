import { type Kysely, sql } from 'kysely'
import type { SendingTables } from './table.ts'

/** Removes some rows of what ended before a time; returns those that it removed, none once none is left. */
export type RemoveOldSendings = (before: number, limit: number) => Promise<unknown[]>

/**
 * Removes the recipients of sendings that have ended, and each sending once it has none left. One that runs
 * or is paused stays, however old it is.
 */
export function createRemoveOldSendings(db: Kysely<SendingTables>): RemoveOldSendings {
  // Those of other sendings of the same email are passed over once.
  let reached = { sendingId: 0, contactId: 0 }
  return async (before, limit) => {
    const old = await findOld(db, before)
    if (old === undefined) return []
    const { id, email_id: emailId } = old
    if (reached.sendingId !== id) reached = { sendingId: id, contactId: 0 }
    const { rows } = await sql<{ contact_id: number }>`delete from sending_recipients
      where email_id = ${emailId} and sending_id = ${id} and contact_id in (
        select contact_id from sending_recipients
        where email_id = ${emailId} and contact_id > ${reached.contactId} and sending_id = ${id}
        order by contact_id limit ${limit})
      returning contact_id`.execute(db)
    if (rows.length > 0) {
      reached.contactId = Math.max(...rows.map((row) => row.contact_id))
      return rows
    }
    // Somebody in doubt may just have been put back into its queue.
    const ended = db.deleteFrom('sendings').where('id', '=', id)
    return ended.where('status', 'in', ['done', 'cancelled']).returning('id').execute()
  }
}

function findOld(db: Kysely<SendingTables>, before: number) {
  return db
    .selectFrom('sendings')
    .select(['id', 'email_id'])
    .where('status', 'in', ['done', 'cancelled'])
    .where('finished_at', '<', before)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}
