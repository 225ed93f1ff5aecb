import { emptyDelivery } from '../src/delivery/log/delivery-row.ts'
import type { DeliveryRow, DeliveryTables } from '../src/delivery/table.ts'
import type { TestApp } from './test-app.ts'

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
  await app.storage.tables<DeliveryTables>().insertInto('deliveries').values(values).execute()
}
