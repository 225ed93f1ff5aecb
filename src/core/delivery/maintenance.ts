import type { Transaction } from 'kysely'
import { type Clock, startStopwatch } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { Periodic } from '../../kit/periodic.ts'
import { sleep } from '../../kit/timers.ts'
import type { Installation } from '../../platform/installation/index.ts'
import { dropPartitions, ensurePartitions, type Storage } from '../../platform/storage/index.ts'
import type { TransportTables } from '../transports/index.ts'
import { everyTransport, hourMs } from './counts-table.ts'
import { removeEvents } from './delivery-events.ts'
import { removeOldKeys } from './log/delivery-keys.ts'
import { releaseDueKeys } from './log/key-upkeep.ts'
import { type DeliveryTables, deliveriesByMonth, deliveryEventsByMonth } from './table.ts'
import type { TransportPool } from './transport-pool.ts'
import type { TransportThrottles } from './transport-throttle.ts'

const intervalMs = 60_000
/** It blocks SQLite's single writer for some ten milliseconds. */
const rowsPerBatch = 500

export interface MaintenanceOptions {
  storage: Storage
  installation: Pick<Installation, 'unconfirmed'>
  clock: Clock
  log: Log
  throttles: Pick<TransportThrottles, 'list' | 'forget'>
  transportPool: Pick<TransportPool, 'forget'>
  /** How long deliveries are kept. */
  keepMs: number
  /** How long a message with an uncertain outcome is not sent again. */
  holdMs: number
}

/** Creates what the next deliveries need, removes old ones and releases old keys each minute, in small batches. Forgets deleted transports. */
export function createMaintenance(options: MaintenanceOptions): Periodic {
  const { storage, installation, clock, log, keepMs, holdMs } = options
  const db = storage.tables<DeliveryTables>()
  return new Periodic({
    async task(signal) {
      const now = clock.now()
      const before = now - keepMs
      const until = (step: () => Promise<boolean>) => inBatches(step, signal)
      const isFull = (rows: readonly unknown[]) => rows.length >= rowsPerBatch
      await ensureDeliveryPartitions(storage, now)
      // A person may decide by the log of a copy what of its queue was sent.
      if (installation.unconfirmed !== undefined) return
      await releaseDueKeys(db, { now, holdMs, inBatches: until, limit: rowsPerBatch })
      for (const table of [deliveriesByMonth, deliveryEventsByMonth])
        await dropPartitions(storage, table, before)
      await until(async () => isFull(await removeOld(storage, before)))
      await until(async () => isFull(await removeOldKeys(db, before, rowsPerBatch)))
      if (!signal.aborted) await removeOldCounts(storage, before)
      await forgetDeleted(options)
    },
    intervalMs,
    log,
    events: { failed: 'delivery maintenance failed', recovered: 'delivery maintenance resumed' },
  })
}

/** Runs steps until one returns false; pauses after each for as long as it took. */
async function inBatches(step: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const elapsedMs = startStopwatch()
    if (!(await step())) return
    await sleep(elapsedMs(), { signal })
  }
}

/** Creates the partitions that the next deliveries need, and the next events of deliveries of the last 30 days. */
export async function ensureDeliveryPartitions(storage: Storage, now: number): Promise<void> {
  await ensurePartitions(storage, deliveriesByMonth, now)
  await ensurePartitions(storage, deliveryEventsByMonth, now - 31 * 24 * hourMs)
}

/** Closes the transports that were deleted, once they send nothing. */
async function forgetDeleted({ storage, throttles, transportPool }: MaintenanceOptions) {
  const used = throttles.list().flatMap(({ transportId }) => transportId ?? [])
  if (used.length === 0) return
  const query = storage.tables<TransportTables>().selectFrom('transports').select('id')
  const rows = await query.where(storage.isAmong('id', used)).execute()
  const known = new Set(rows.map(({ id }) => id))
  for (const id of used) if (!known.has(id) && throttles.forget(id)) transportPool.forget(id)
}

async function removeOld(storage: Storage, before: number): Promise<unknown[]> {
  // Ordered by its index: without statistics PostgreSQL would scan the whole table.
  const old = await storage
    .tables<DeliveryTables>()
    .selectFrom('deliveries')
    .select(['id', 'started_at'])
    .where('started_at', '<', before)
    .where('outcome', '<>', 'started')
    .orderBy('started_at')
    .limit(rowsPerBatch)
    .execute()
  const [first, last] = [old[0], old.at(-1)]
  if (first === undefined || last === undefined) return []
  const removal = async (tx: Transaction<DeliveryTables>) => {
    await removeEvents(tx, storage, old)
    // With the times: so PostgreSQL reads one partition.
    await tx
      .deleteFrom('deliveries')
      .where(
        'id',
        'in',
        old.map(({ id }) => id),
      )
      .where('started_at', '>=', first.started_at)
      .where('started_at', '<=', last.started_at)
      .execute()
  }
  await storage.transaction(removal, { isFlushDeferred: true })
  return old
}

/** Removes the counts of months whose deliveries are all removed: triggers do not count what a dropped partition had. */
async function removeOldCounts(storage: Storage, before: number): Promise<void> {
  if (!storage.hasPartitions) return
  const date = new Date(before)
  const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  const old = storage
    .tables<DeliveryTables>()
    .selectFrom('delivery_counts')
    .select('started_at')
    .where('transport_id', '=', everyTransport)
    .where('brand_id', '=', 0)
    .where('span_ms', '=', hourMs)
    .where('started_at', '<', from)
  if ((await old.limit(1).executeTakeFirst()) === undefined) return
  await storage.transaction(async (tx: Transaction<DeliveryTables>) => {
    await storage.lock(tx, 'delivery counts')
    for (const table of ['delivery_count_changes', 'delivery_counts'] as const)
      await tx.deleteFrom(table).where('started_at', '<', from).execute()
  })
}
