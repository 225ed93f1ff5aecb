import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { DeliveryIntervals } from '../delivery/index.ts'
import { noTransport } from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { pause } from '../kit/pause.ts'
import { WorkLoop } from '../kit/work-loop.ts'
import type { Storage } from '../storage/index.ts'
import { type QueueTables, type RouteRepairsTable, repairedMeanwhile } from './table.ts'

export interface RouteRepairsOptions {
  storage: Storage
  clock: Clock
  log: Log
  intervals: Pick<DeliveryIntervals, 'idleMs'>
  /** Without a default transport, a start repairs nothing for what has no route. */
  defaultDsn: string | undefined
  /** Called when recipients may be due. */
  onDue: () => void
}

interface Change {
  values: { waits_for: number | null; due_at?: RawBuilder<number> }
  /** Which of the rows are still to be changed. */
  where: RawBuilder<boolean>
}

type Repair = Pick<RouteRepairsTable, 'waits_for' | 'mautic_id'>

/** One transaction: it blocks SQLite for some ten milliseconds. */
const batchSize = 200
const repairsAtOnce = 1_000

/**
 * Makes recipients due whose route was repaired. Triggers write a row of `route_repairs` in the transaction of each change
 * that may repair one; it is deleted once all recipients that waited for it are due. So a process that ends in between
 * loses nothing, and several processes that do the same do no harm.
 *
 * An attempt in progress may have begun before the repair and fail after it. Its recipient is marked, and due at once after
 * it. The first attempt in the mode `hybrid` is in no row to mark: it is repeated after 30 s anyway.
 */
export class RouteRepairs {
  readonly #options: RouteRepairsOptions
  readonly #db: Kysely<QueueTables>
  readonly #loop: WorkLoop

  constructor(options: RouteRepairsOptions) {
    this.#options = options
    this.#db = options.storage.tables<QueueTables>()
    this.#loop = new WorkLoop({
      work: () => this.#work(),
      idleMs: options.intervals.idleMs,
      log: options.log,
      events: { failed: 'repaired routes not read', recovered: 'repaired routes read again' },
    })
  }

  start(): void {
    this.#loop.start()
  }

  /**
   * Adds a repair of each thing that recipients wait for. At the start, what no trigger sees may have been repaired: the
   * default transport, the key that decrypts DSNs, or which addresses are allowed.
   */
  async addAll(): Promise<void> {
    const unrepaired = this.#options.defaultDsn === undefined ? noTransport : null
    await sql`insert into route_repairs (waits_for)
      with recursive waiting (id) as (
        select min(waits_for) from queue_recipients where waits_for is not null
        union all select (select min(waits_for) from queue_recipients where waits_for > waiting.id)
        from waiting where waiting.id is not null)
      select id from waiting where id is not null and id is distinct from ${unrepaired}`.execute(
      this.#db,
    )
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  /** Returns how long to wait. */
  async #work(): Promise<number> {
    const query = this.#db.selectFrom('route_repairs').selectAll().orderBy('id')
    const repairs = await query.limit(repairsAtOnce).execute()
    if (repairs.length === 0) return this.#options.intervals.idleMs
    // First: an attempt that ends afterwards is marked, and the recipient of one that ended before is found waiting.
    await this.#markClaimed()
    for (const repair of withoutRepeats(repairs)) {
      await this.#release(repair)
      if (this.#loop.isStopped) return 0
    }
    const ids = repairs.map(({ id }) => id)
    const removal = this.#db.deleteFrom('route_repairs')
    await removal.where(this.#options.storage.isAmong('id', ids)).execute()
    return 0
  }

  async #markClaimed(): Promise<void> {
    const query = this.#db.selectFrom('queue_recipients').select('id')
    const claimed = await query
      .where('claimed_by', 'is not', null)
      .where('waits_for', 'is', null)
      .execute()
    const ids = claimed.map(({ id }) => id)
    const isClaimed = sql<boolean>`claimed_by is not null`
    await this.#update(ids, { values: { waits_for: repairedMeanwhile }, where: isClaimed })
  }

  /** Makes all recipients due that waited for a repair, the oldest first. One that waits again in the meantime is passed. */
  async #release({ waits_for: waitsFor, mautic_id: mauticId }: Repair): Promise<void> {
    for (let after = 0; !this.#loop.isStopped; ) {
      const rows = await this.#db
        .selectFrom('queue_recipients as r')
        .innerJoin('queue_messages as m', 'm.id', 'r.message_id')
        .select(['r.id', 'm.mautic_id'])
        .where('r.waits_for', '=', waitsFor)
        .where('r.id', '>', after)
        .orderBy('r.id')
        .limit(batchSize)
        .execute()
      const concerned = rows.filter((row) => mauticId === null || row.mautic_id === mauticId)
      if (concerned.length > 0) {
        await this.#makeDue(
          waitsFor,
          concerned.map(({ id }) => id),
        )
        this.#options.onDue()
      }
      if (rows.length < batchSize) return
      after = rows.at(-1)?.id ?? after
      await pause()
    }
  }

  async #makeDue(waitsFor: number, ids: readonly number[]): Promise<void> {
    const now = this.#options.clock.now()
    const due_at = sql<number>`case when due_at > ${now} then ${now} else due_at end`
    const isWaiting = sql<boolean>`waits_for = ${waitsFor}`
    await this.#update(ids, { values: { waits_for: null, due_at }, where: isWaiting })
  }

  /** Rows that another transaction has locked are waited for one by one, while no other row is locked. */
  async #update(ids: readonly number[], { values, where }: Change): Promise<void> {
    if (ids.length === 0) return
    const { storage } = this.#options
    const update = (db: Kysely<QueueTables>) =>
      db.updateTable('queue_recipients').set(values).where(where)
    const unlocked = sql<boolean>`id in (select id from queue_recipients
      where ${storage.isAmong('id', ids)} ${storage.forUpdateSkipLocked()})`
    const updated = await storage.transaction(
      (tx: Transaction<QueueTables>) => update(tx).where(unlocked).returning('id').execute(),
      { isFlushDeferred: true },
    )
    const isUpdated = new Set(updated.map(({ id }) => id))
    for (const id of ids)
      if (!isUpdated.has(id)) await update(this.#db).where('id', '=', id).execute()
  }
}

function withoutRepeats(repairs: readonly Repair[]): Repair[] {
  const byKey = new Map(repairs.map((each) => [`${each.waits_for} ${each.mautic_id}`, each]))
  return [...byKey.values()]
}
