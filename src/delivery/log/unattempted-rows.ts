import type { Transaction } from 'kysely'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import { storableText } from './delivery-row.ts'
import type { OutcomeEvents } from './outcome-events.ts'
import { commonColumns, type LogEntry } from './start-attempts.ts'

/** How a delivery ended for a recipient whose message was given to no transport. */
export interface UnattemptedEnd {
  address: string
  outcome: Extract<DeliveryRow['outcome'], 'suppressed'>
  reason: string
}

export interface UnattemptedEntry extends LogEntry {
  ends: readonly UnattemptedEnd[]
}

/** Rows in one statement. */
const rowsMax = 100

/** Writes a row for each recipient who is not sent a message. Such a row has no keys: the message may be submitted again. */
export async function writeUnattempted(
  tx: Transaction<DeliveryTables>,
  entries: readonly UnattemptedEntry[],
  events: OutcomeEvents,
): Promise<undefined[]> {
  const rows = entries.flatMap((entry) => {
    const common = commonColumns(entry)
    return entry.ends.map(({ address, outcome, reason }) => ({
      ...common,
      sender: storableText(common.sender),
      message_id: common.message_id === null ? null : storableText(common.message_id),
      subject: common.subject === null ? null : storableText(common.subject),
      recipient: storableText(address),
      recipient_key: storableText(emailKey(address)),
      outcome,
      duration_ms: 0,
      reason: storableText(reason),
      request_hash: null,
    }))
  })
  const isPublished = rows.some(({ outcome }) => events.wants(outcome))
  for (let start = 0; start < rows.length; start += rowsMax) {
    const insert = tx.insertInto('deliveries').values(rows.slice(start, start + rowsMax))
    if (!isPublished) await insert.execute()
    else await events.publish(tx, await insert.returning(['id', 'started_at', 'outcome']).execute())
  }
  return entries.map(() => undefined)
}
