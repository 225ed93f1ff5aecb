import type { Kysely } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'

const intervalMs = 60_000
/** The same message handed in again is recognised for so long. */
const recogniseMs = 86_400_000
const rowsAtOnce = 2_000

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
  let timer: NodeJS.Timeout | undefined
  const run = async () => {
    const now = clock.now()
    await inParts(() => forgetAccepted(db, now - recogniseMs))
    await inParts(() => releaseUncertain(db, now - holdMs))
    await inParts(() => removeOld(db, now - keepMs))
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
      clearInterval(timer)
    },
  }
}

/** Changes rows until none is left to change; others have their turn in between. */
async function inParts(change: () => Promise<unknown[]>): Promise<void> {
  while ((await change()).length === rowsAtOnce) await pause()
}

/** A bulk email is recognised for as long as it is listed, any other message for a day. */
function forgetAccepted(db: Kysely<DeliveryTables>, before: number): Promise<unknown[]> {
  const old = olderThan(db, before).where('message_key', 'is not', null)
  const accepted = old.where('outcome', '=', 'accepted')
  const update = db.updateTable('deliveries').set({ message_key: null })
  return update.where('id', 'in', accepted).returning('id').execute()
}

/** What nobody has decided about in time may be handed in again. */
function releaseUncertain(db: Kysely<DeliveryTables>, before: number): Promise<unknown[]> {
  const held = olderThan(db, before)
    .where('outcome', '=', 'uncertain')
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
  return db.selectFrom('deliveries').select('id').where('started_at', '<', before).limit(rowsAtOnce)
}
