import { emptyDelivery } from '../src/delivery/log/delivery-row.ts'
import type { DeliveryRow, DeliveryTables } from '../src/delivery/table.ts'
import type { TestApp } from './test-app.ts'

const rowsPerStatement = 500

/** Adds rows to the delivery log. Default: a message over SMTP that starts now. */
export async function logDeliveries(
  { app }: TestApp,
  rows: readonly Partial<DeliveryRow>[],
): Promise<void> {
  const started = {
    source: 'smtp',
    caller: 'tests',
    startedAt: Date.now(),
    processId: 'p',
  } as const
  const values = rows.map((row) => ({ ...emptyDelivery(started), ...row }))
  const db = app.storage.tables<DeliveryTables>()
  for (let start = 0; start < values.length; start += rowsPerStatement) {
    const some = values.slice(start, start + rowsPerStatement)
    await db.insertInto('deliveries').values(some).execute()
  }
}
