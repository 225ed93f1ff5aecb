import { setTimeout } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import { createRemoveOldSendings } from '../jobs/remove-old.ts'
import type { SendingTables } from '../jobs/table.ts'
import type { DeliveryTables } from '../table.ts'
import { releaseAcknowledged } from './acknowledgements.ts'

const intervalMs = 60_000
/** The same message handed in again is recognised for so long. */
const recogniseMs = 86_400_000
/** Some ten milliseconds of the one writer that SQLite has. */
const rowsAtOnce = 500

/** What upkeep is told. */
export interface UpkeepOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** How long deliveries are listed. */
  keepMs: number
  /** How long a message whose outcome is uncertain is held off. */
  holdMs: number
}

/** Keeps the list of deliveries in bounds, a little at a time. */
export interface Upkeep {
  start(): void
  stop(): void
  /** Does what is due now. */
  run(): Promise<void>
}

export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { storage, clock, log, keepMs, holdMs } = options
  const db = storage.tables<DeliveryTables>()
  const removeOldSendings = createRemoveOldSendings(storage.tables<SendingTables>())
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let running: Promise<void> | undefined
  const tidy = async () => {
    const now = clock.now()
    const isOver = () => isStopped
    await inParts(() => releaseAcknowledged(db, { now, limit: rowsAtOnce }), isOver)
    await inParts(() => forgetAccepted(db, now - recogniseMs), isOver)
    await inParts(() => releaseUncertain(db, now - holdMs), isOver)
    await inParts(() => removeOld(db, now - keepMs), isOver)
    await inParts(() => removeOldSendings(now - keepMs, rowsAtOnce), isOver, 1)
  }
  // What takes longer than the interval is not begun a second time.
  const run = () => {
    running ??= tidy().finally(() => {
      running = undefined
    })
    return running
  }
  return {
    run,
    start() {
      timer = setInterval(() => {
        run().catch((err: unknown) => log.warn({ err }, 'the deliveries could not be tidied'))
      }, intervalMs)
      timer.unref()
    },
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}

/** Changes rows until fewer change than that; between two steps others have as much time as a step took. */
async function inParts(
  change: () => Promise<unknown[]>,
  isOver: () => boolean,
  least = rowsAtOnce,
): Promise<void> {
  while (!isOver()) {
    const startedAt = performance.now()
    if ((await change()).length < least) return
    await setTimeout(performance.now() - startedAt)
  }
}

/**
 * A bulk email is recognised for as long as it is listed, and so is a request with an Idempotency-Key; any
 * other message for a day.
 */
function forgetAccepted(db: Kysely<DeliveryTables>, before: number): Promise<unknown[]> {
  const old = olderThan(db, before)
    .where('message_key', 'is not', null)
    .where(sql<boolean>`source = 'smtp'`)
  const accepted = old.where('outcome', '=', 'accepted')
  const update = db.updateTable('deliveries').set({ message_key: null })
  return update.where('id', 'in', accepted).returning('id').execute()
}

/** What nobody has decided about in time may be handed in again; the same request may not. */
function releaseUncertain(db: Kysely<DeliveryTables>, before: number): Promise<unknown[]> {
  const held = olderThan(db, before)
    .where(sql<boolean>`outcome = 'uncertain' and source = 'smtp'`)
    .where((where) =>
      where.or([where('message_key', 'is not', null), where('bulk_key', 'is not', null)]),
    )
  const update = db.updateTable('deliveries').set({ message_key: null, bulk_key: null })
  return update.where('id', 'in', held).returning('id').execute()
}

function removeOld(db: Kysely<DeliveryTables>, before: number): Promise<unknown[]> {
  const old = olderThan(db, before).where('outcome', '<>', 'started')
  return db.deleteFrom('deliveries').where('id', 'in', old).returning('id').execute()
}

function olderThan(db: Kysely<DeliveryTables>, before: number) {
  // In the order of its index: PostgreSQL would go through the whole table where it does not know how few they are.
  return db
    .selectFrom('deliveries')
    .select('id')
    .where('started_at', '<', before)
    .orderBy('started_at')
    .limit(rowsAtOnce)
}
