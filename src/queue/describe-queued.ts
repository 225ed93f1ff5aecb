import { sql, type Transaction } from 'kysely'
import type { Consequence } from '../resource/index.ts'
import type { Storage } from '../storage/index.ts'

/** A count of more would read a large part of the queue. */
const countMax = 10_000

/** Describes the queued messages for a transport that is being deleted. Undefined where there are none. */
export async function describeQueued(
  transportId: number,
  tx: Transaction<object>,
): Promise<Consequence | undefined> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count from (
    select 1 from queue_recipients
    where state in ('queued', 'held', 'paused') and transport_id = ${transportId}
    limit ${countMax}) as messages`.execute(tx)
  return describe(Number(rows[0]?.count ?? 0), ['is routed again', 'are routed again'])
}

/**
 * Describes the messages of broadcasts that contacts who are being deleted do not get, by the ids of the contacts that have
 * some. They are found by the present address of the contact.
 */
export async function describeUnsent(
  storage: Storage,
  contactIds: readonly number[],
): Promise<Map<number, Consequence>> {
  const { rows } = await sql<Record<'id' | 'count', number | string>>`
    select contacts.id as id, count(*) as count from contacts
    join queue_recipients as r on r.address_key = contacts.email_key and r.contact_id = contacts.id
    where ${storage.isAmong('contacts.id', contactIds)}
      and r.broadcast_id is not null and r.state <> 'uncertain'
      and not exists (select 1 from delivery_keys where key = r.message_key)
    group by contacts.id`.execute(storage.tables<unknown>())
  const consequences = new Map<number, Consequence>()
  for (const { id, count } of rows) {
    const consequence = describe(Number(count), ['is not sent', 'are not sent'])
    if (consequence !== undefined) consequences.set(Number(id), consequence)
  }
  return consequences
}

function describe(count: number, [ofOne, ofMany]: [string, string]): Consequence | undefined {
  if (count === 0) return undefined
  const number = `${count.toLocaleString('en-US')}${count < countMax ? '' : ' or more'}`
  const sentence =
    count === 1 ? `1 queued message ${ofOne}.` : `${number} queued messages ${ofMany}.`
  return { planned: sentence, done: sentence }
}
