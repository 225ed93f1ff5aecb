import { emptyDelivery } from '../src/core/delivery/log/delivery-row.ts'
import type { DeliveryRow, DeliveryTables } from '../src/core/delivery/table.ts'
import type { TestApp } from './test-app.ts'

const rowsPerStatement = 500

/** Adds rows to the delivery log. Default: a message over SMTP that starts now. */
export async function logDeliveries(
  { app }: TestApp,
  rows: readonly Partial<DeliveryRow>[],
): Promise<number[]> {
  const started = {
    source: 'smtp',
    caller: 'tests',
    startedAt: Date.now(),
    processId: 'p',
  } as const
  const values = rows.map((row) => ({ ...emptyDelivery(started), ...row }))
  const db = app.storage.tables<DeliveryTables>()
  const ids: number[] = []
  for (let start = 0; start < values.length; start += rowsPerStatement) {
    const some = values.slice(start, start + rowsPerStatement)
    const added = await db.insertInto('deliveries').values(some).returning('id').execute()
    ids.push(...added.map(({ id }) => id))
  }
  return ids
}
