import type { Transaction } from 'kysely'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { DeliveryTables } from '../table.ts'
import { storableText } from './delivery-row.ts'
import { commonColumns, type LogEntry } from './start-attempts.ts'

/** Recipients who are not sent a message, and why. */
export interface SuppressedEntry extends LogEntry {
  suppressed: readonly { address: string; reason: string }[]
}

/** Rows in one statement. */
const rowsMax = 100

/** Writes a row for each recipient who is not sent a message. Such a row has no keys: the message may be submitted again. */
export async function writeSuppressed(
  tx: Transaction<DeliveryTables>,
  entries: readonly SuppressedEntry[],
): Promise<undefined[]> {
  const rows = entries.flatMap((entry) => {
    const common = commonColumns(entry)
    return entry.suppressed.map(({ address, reason }) => ({
      ...common,
      sender: storableText(common.sender),
      message_id: common.message_id === null ? null : storableText(common.message_id),
      recipient: storableText(address),
      recipient_key: storableText(emailKey(address)),
      outcome: 'suppressed' as const,
      is_permanent: true,
      duration_ms: 0,
      reason: storableText(reason),
      request_hash: null,
    }))
  })
  for (let start = 0; start < rows.length; start += rowsMax)
    await tx
      .insertInto('deliveries')
      .values(rows.slice(start, start + rowsMax))
      .execute()
  return entries.map(() => undefined)
}
