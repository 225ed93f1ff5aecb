import { sql, type Transaction } from 'kysely'
import type { Consequence } from '../resource/index.ts'

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
 * Describes the messages of broadcasts that a contact who is being deleted does not get. Undefined where there are none. They
 * are found by the address that the contact has.
 */
export async function describeUnsent(
  { id, email_key: key }: { id: number; email_key: string | null },
  tx: Transaction<object>,
): Promise<Consequence | undefined> {
  if (key === null) return undefined
  const { rows } = await sql<{ count: number | string }>`select count(*) as count
    from queue_recipients where address_key = ${key} and contact_id = ${id}
      and broadcast_id is not null and state <> 'uncertain'
      and not exists (select 1 from delivery_keys where key = queue_recipients.message_key)`.execute(
    tx,
  )
  return describe(Number(rows[0]?.count ?? 0), ['is not sent', 'are not sent'])
}

function describe(count: number, [ofOne, ofMany]: [string, string]): Consequence | undefined {
  if (count === 0) return undefined
  const number = `${count.toLocaleString('en-US')}${count < countMax ? '' : ' or more'}`
  const sentence =
    count === 1 ? `1 queued message ${ofOne}.` : `${number} queued messages ${ofMany}.`
  return { planned: sentence, done: sentence }
}
