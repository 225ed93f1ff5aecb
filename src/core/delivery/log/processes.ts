import { hostname } from 'node:os'
import type { Transaction } from 'kysely'
import { formatDate, formatOptionalDate } from '../../../kit/iso-date.ts'
import type { Log } from '../../../kit/log.ts'
import { Periodic } from '../../../kit/periodic.ts'
import { readVersion } from '../../../kit/read-version.ts'
import { sleep } from '../../../kit/timers.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { DeliveryIntervals } from '../intervals.ts'
import type { DeliveryTables } from '../table.ts'
import { acknowledgeForCrashed } from './acknowledgements.ts'
import { endlessLease, type Lease } from './lease.ts'
import { OutcomeEvents } from './outcome-events.ts'

/** Why a delivery is uncertain whose process has expired. */
export const expiredReason = 'The process that sent it ended before the server answered.'

/** A process that sends, as its heartbeats show it. */
export interface ProcessState {
  id: string
  host: string | null
  pid: number | null
  version: string | null
  /** Whether it is the one that answers. */
  isThis: boolean
  dateStarted: string | null
  lastHeartbeat: string
}

/** More than any installation has. */
const processesMax = 1_000

export interface ProcessesOptions {
  storage: Storage
  log: Log
  processId: string
  intervals: Pick<DeliveryIntervals, 'heartbeatMs' | 'expireAfterMs'>
  /** Each heartbeat renews it. Default: none. */
  lease?: Pick<Lease, 'startRenewal'>
  /** Recovers the work of expired processes, in the transaction that removes them. */
  onExpired: (tx: Transaction<DeliveryTables>, processIds: readonly string[]) => Promise<void>
  /** Publishes uncertain deliveries. Default: nowhere. */
  outcomeEvents?: OutcomeEvents
  /** Called after that transaction: messages may be due. */
  onRecovered?: () => void
}

/**
 * The processes that send. Each writes a heartbeat, and expires processes whose heartbeats have stopped: a message that
 * they were sending may have arrived or not, so it becomes uncertain. Times are the database's, which all processes share.
 */
export class Processes {
  readonly #options: ProcessesOptions
  readonly #about = { host: hostname(), pid: process.pid, version: readVersion() }
  readonly #beating: Periodic
  #lastHeartbeatAt: number | undefined
  #expiresNoneBefore = 0

  constructor(options: ProcessesOptions) {
    this.#options = options
    this.#beating = new Periodic({
      task: () => this.heartbeat(),
      intervalMs: options.intervals.heartbeatMs,
      log: options.log,
      events: { failed: 'process heartbeat failed', recovered: 'process heartbeat restored' },
    })
  }

  /** Registers this process and starts its heartbeat. */
  async start(): Promise<void> {
    await this.heartbeat()
    this.#beating.start()
  }

  /** Removes this process. Work that it has not finished is recovered as if it had expired. */
  async stop(): Promise<void> {
    await this.#beating.stop()
    const { processId, log } = this.#options
    try {
      await this.#expire([processId])
    } catch (err) {
      // The other processes expire it later.
      log.warn({ err }, 'process not deregistered')
    }
  }

  /** Lists the processes with a heartbeat, the oldest first. */
  async list(): Promise<ProcessState[]> {
    const { storage, processId } = this.#options
    const query = storage.tables<DeliveryTables>().selectFrom('delivery_processes').selectAll()
    const rows = await query.orderBy('started_at').limit(processesMax).execute()
    return rows.map(({ id, host, pid, version, started_at: startedAt, seen_at: seenAt }) => ({
      id,
      host,
      pid,
      version,
      isThis: id === processId,
      dateStarted: formatOptionalDate(startedAt),
      lastHeartbeat: formatDate(seenAt),
    }))
  }

  /** Writes the heartbeat of this process, and expires processes without one. */
  async heartbeat(): Promise<void> {
    const { storage, processId, lease = endlessLease } = this.#options
    const { heartbeatMs, expireAfterMs } = this.#options.intervals
    const renew = lease.startRenewal()
    const now = await storage.now()
    // While the database was lost, or after its clock was changed, no heartbeat counts: give all processes time for one.
    const wasAway = Math.abs(now - (this.#lastHeartbeatAt ?? now)) > expireAfterMs / 2
    if (wasAway) this.#expiresNoneBefore = now + expireAfterMs
    // A new process does not know whether the clock was changed; those with a valid `Lease` have a heartbeat by then.
    if (this.#lastHeartbeatAt === undefined) this.#expiresNoneBefore = now + expireAfterMs / 2
    this.#lastHeartbeatAt = now
    const seen = { seen_at: now }
    const db = storage.tables<DeliveryTables>()
    await db
      .insertInto('delivery_processes')
      .values({ id: processId, ...this.#about, started_at: now, ...seen })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(seen))
      .execute()
    renew()
    // After the clock was set back, heartbeats in the future would keep stale processes alive until that time.
    const inFuture = db.updateTable('delivery_processes').set(seen)
    await inFuture.where('seen_at', '>', now + heartbeatMs).execute()
    if (now >= this.#expiresNoneBefore) await this.#expireSilent(now)
  }

  /**
   * Expires processes without a heartbeat. Commands call it: they write no heartbeat. If there are any, it waits as a new
   * process does: the clock may just have been changed.
   */
  async expireSilent(): Promise<void> {
    const { storage, intervals } = this.#options
    if ((await this.#findSilent(await storage.now())).length === 0) return
    await sleep(intervals.expireAfterMs / 2)
    await this.#expireSilent(await storage.now())
  }

  async #expireSilent(now: number): Promise<void> {
    const { log, intervals } = this.#options
    const silent = await this.#findSilent(now)
    if (silent.length === 0) return
    const expired = await this.#expire(silent, now - intervals.expireAfterMs)
    if (expired.length > 0) log.warn({ processes: expired }, 'process expired')
  }

  /** Returns the ids of the processes without a heartbeat. */
  async #findSilent(now: number): Promise<string[]> {
    const { storage, intervals } = this.#options
    const query = storage.tables<DeliveryTables>().selectFrom('delivery_processes').select('id')
    const silent = await query.where('seen_at', '<', now - intervals.expireAfterMs).execute()
    return silent.map(({ id }) => id)
  }

  /**
   * Removes processes and recovers their work in one transaction. It deletes the processes first: a claim locks the row
   * of its own process, so it either comes before this transaction or fails.
   */
  async #expire(ids: readonly string[], notSeenSince?: number): Promise<string[]> {
    const { storage, onExpired, onRecovered, intervals } = this.#options
    const { outcomeEvents = new OutcomeEvents(undefined) } = this.#options
    const all = await storage.transaction(async (tx: Transaction<DeliveryTables>) => {
      let removal = tx.deleteFrom('delivery_processes').where('id', 'in', [...ids])
      if (notSeenSince !== undefined) removal = removal.where('seen_at', '<', notSeenSince)
      const removed = await removal.returning('id').execute()
      const expired = removed.map(({ id }) => id)
      if (expired.length === 0) return []
      const update = tx
        .updateTable('deliveries')
        .set({ outcome: 'uncertain', reason: expiredReason })
        .where('outcome', '=', 'started')
        .where('process_id', 'in', expired)
      await outcomeEvents.publish(
        tx,
        await update.returning(['id', 'started_at', 'outcome']).execute(),
      )
      // A stopped process has written its acknowledgements; a crashed one may have lost some.
      if (notSeenSince !== undefined)
        await acknowledgeForCrashed(tx, {
          processIds: expired,
          now: notSeenSince + intervals.expireAfterMs,
        })
      await onExpired(tx, expired)
      return expired
    })
    if (all.length > 0) {
      outcomeEvents.notify(['uncertain'])
      onRecovered?.()
    }
    return all
  }
}
