import type { Transaction } from 'kysely'
import { addRecipients, type ProducerTables } from '../../src/broadcasts/producer.ts'
import { addBroadcastMessage } from '../../src/broadcasts/queued-recipients.ts'
import { noTransport } from '../../src/delivery/table.ts'
import type { Storage } from '../../src/storage/index.ts'
import { emptyBroadcast } from '../broadcasts/empty-broadcast.ts'

/** A broadcast that runs, and whose recipients are all in the queue. */
export interface AddedBroadcast {
  emailId: number
  contactIds: readonly number[]
  now: number
  expiresAt: number
  /** The transport that its recipients wait for. Default: it is not known yet. */
  transportId?: number
}

/** Adds a broadcast with its recipients to the database, as its producer does; returns its id. */
export async function addBroadcast(
  storage: Storage,
  { emailId, contactIds, now, expiresAt, transportId = noTransport }: AddedBroadcast,
): Promise<number> {
  return storage.transaction(async (tx: Transaction<ProducerTables>) => {
    const { id } = await tx
      .insertInto('broadcasts')
      .values({ ...emptyBroadcast, created_at: now, email_id: emailId })
      .returning('id')
      .executeTakeFirstOrThrow()
    await addBroadcastMessage(tx, { id, emailId, caller: 'Admin', from: 'a@b.test', now })
    const batch = { storage, contactIds, senderDomain: 'b.test', transportId, now, expiresAt }
    const total = await addRecipients(tx, { id, email_id: emailId }, batch)
    await tx.updateTable('broadcasts').set({ total }).where('id', '=', id).execute()
    return id
  })
}
