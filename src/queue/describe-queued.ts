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
    where state in ('queued', 'held') and transport_id = ${transportId}
    limit ${countMax}) as messages`.execute(tx)
  const count = Number(rows[0]?.count ?? 0)
  if (count === 0) return undefined
  const number = `${count.toLocaleString('en-US')}${count < countMax ? '' : ' or more'}`
  const sentence =
    count === 1
      ? '1 queued message is routed again.'
      : `${number} queued messages are routed again.`
  return { planned: sentence, done: sentence }
}
