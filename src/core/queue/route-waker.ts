import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { pause } from '../../kit/pause.ts'
import { WorkLoop } from '../../kit/work-loop.ts'
import { limitsChannel, routesChannel, type Storage } from '../../platform/storage/index.ts'
import {
  type DeliveryIntervals,
  type RecipientReport,
  unansweredTransport,
} from '../delivery/index.ts'
import { listPublished } from '../limits/index.ts'
import { reachedLimit } from './retry-schedule.ts'
import type { QueueTables } from './table.ts'

export interface RouteWakerOptions {
  storage: Storage
  clock: Clock
  log: Log
  intervals: Pick<DeliveryIntervals, 'idleMs'>
  /** Called when recipients may be due. */
  onDue: () => void
}

/** A recipient, in the order of the index of those that wait. */
interface Position {
  waitsFor: number
  id: number
}

/** What messages wait for: the id of a Mautic that answers again, or the limits. */
export type Changed = number | 'limits'

const minuteMs = 60_000
/** One transaction: it blocks SQLite for some ten milliseconds. */
const batchSize = 500
const perMinute = 1_000
/** It rests while those that it has made due are attempted, so that many changes leave the database to others. */
const restMsPerRecipient = 0.5
const beginning: Position = { waitsFor: unansweredTransport, id: 0 }

/**
 * Makes recipients due that wait for a route (`QueueRecipientRow.waits_for`): all of them at its start, because settings may
 * have changed, and after each change of what decides about routes (`routesChannel`); those that wait for a Mautic, once this
 * has answered about one (`expectAnswer`), or answers after an outage (`noteChanged`); those that wait for a limit, once limits
 * have changed. A notification may be lost, so each minute limits are compared, and the next 1,000 others are made due that
 * would wait for longer. One that still has no route waits again for its back-off.
 */
export class RouteWaker {
  readonly #options: RouteWakerOptions
  readonly #db: Kysely<QueueTables>
  readonly #loop: WorkLoop
  #isAsked = true
  #changes = 0
  #restsUntil = 0
  #isResting = true
  /** When some were made due that no change concerned, and the last of them. */
  #lookedAt: number
  #lookedUpTo = beginning
  /** The limits that were seen last. */
  #limits = ''
  /** The recipients whose Mautic has answered. */
  #answered: number[] = []
  readonly #changed = new Set<Changed>()
  readonly #listening: (() => void)[] = []

  constructor(options: RouteWakerOptions) {
    this.#options = options
    this.#db = options.storage.tables<QueueTables>()
    this.#lookedAt = options.clock.monotonic()
    this.#loop = new WorkLoop({
      work: () => this.#work(),
      idleMs: options.intervals.idleMs,
      log: options.log,
      events: {
        failed: 'messages without a route not woken',
        recovered: 'messages without a route woken again',
      },
    })
  }

  /** How many changes of routes and limits this process has heard of. */
  get changes(): number {
    return this.#changes
  }

  start(): void {
    const { storage } = this.#options
    const listen = (channel: string, wake: () => void) =>
      storage.listen(channel, () => {
        this.#changes += 1
        wake()
      })
    this.#listening.push(
      listen(routesChannel, () => this.#wake()),
      listen(limitsChannel, () => this.noteChanged('limits')),
    )
    this.#loop.start()
  }

  /**
   * Call it once a recipient is written that waits for a route after an attempt: a change during the attempt has not found it
   * waiting.
   *
   * @param changes The number of changes when the attempt began.
   */
  noteWaiting(changes: number): void {
    if (changes === this.#changes) return
    this.noteChanged('limits')
    this.#wake()
  }

  /** Call it once a recipient is written: it is due when the Mautic that it waits for has answered. */
  expectAnswer(id: number, report: Pick<RecipientReport, 'answered'> | undefined): void {
    const wake = () => {
      this.#answered.push(id)
      this.#loop.wake()
    }
    // A Mautic that does not answer is asked again within a minute.
    report?.answered?.then(wake, () => undefined)
  }

  /** Call it when a Mautic answers after an outage, or limits have changed: what waits for it is due. */
  noteChanged(changed: Changed): void {
    this.#changed.add(changed)
    this.#loop.wake()
  }

  async idle(): Promise<boolean> {
    // Also after what it does already: what has changed since waits for the end of the rest.
    this.#isResting = false
    const hasWorked = await this.#loop.idle()
    this.#isResting = true
    return hasWorked
  }

  async stop(): Promise<void> {
    for (const unlisten of this.#listening) unlisten()
    await this.#loop.stop()
  }

  #wake(): void {
    this.#isAsked = true
    this.#loop.wake()
  }

  /** Returns how long to wait. */
  async #work(): Promise<number> {
    const { clock, intervals } = this.#options
    const answered = this.#answered.slice(0, batchSize)
    if (answered.length > 0) {
      await this.#makeDue(answered, 0)
      this.#answered = this.#answered.slice(answered.length)
      return 0
    }
    const restMs = this.#restsUntil - clock.monotonic()
    if (this.#isResting && restMs > 0) return restMs
    const count = await this.#wakeNext()
    this.#restsUntil = clock.monotonic() + Math.min(count * restMsPerRecipient, minuteMs)
    return this.#changed.size > 0 ? 0 : intervals.idleMs
  }

  /** Returns how many waited. */
  async #wakeNext(): Promise<number> {
    if (this.#isAsked) return this.#wakeAll()
    const [changed] = this.#changed
    return changed === undefined ? this.#wakeSome() : this.#wakeChanged(changed)
  }

  /** Makes all due that wait for a Mautic, or for a limit; returns how many waited. */
  async #wakeChanged(changed: Changed): Promise<number> {
    this.#changed.delete(changed)
    const all = this.#db
      .selectFrom('queue_recipients as recipient')
      .innerJoin('queue_messages as message', 'message.id', 'recipient.message_id')
      .select('recipient.id')
      .where('waits_for', '=', changed === 'limits' ? reachedLimit : unansweredTransport)
      .orderBy('recipient.id')
      .limit(batchSize)
    const waiting = changed === 'limits' ? all : all.where('mautic_id', '=', changed)
    try {
      let count = 0
      for (let after: number | undefined = 0; after !== undefined && !this.#loop.isStopped; ) {
        const rows = await waiting.where('recipient.id', '>', after).execute()
        const ids = rows.map(({ id }) => id)
        if (ids.length > 0) await this.#makeDue(ids, 0)
        count += ids.length
        after = ids.at(-1)
      }
      return count
    } catch (error) {
      this.#changed.add(changed)
      throw error
    }
  }

  /** Returns how many waited. One pass: a recipient that waits again in the meantime is passed. */
  async #wakeAll(): Promise<number> {
    this.#isAsked = false
    try {
      let count = 0
      for await (const { ids } of this.#batches(beginning)) {
        await this.#makeDue(ids, 0)
        count += ids.length
        if (this.#loop.isStopped) break
      }
      return count
    } catch (error) {
      this.#isAsked = true
      throw error
    }
  }

  /** Returns how many waited. */
  async #wakeSome(): Promise<number> {
    const now = this.#options.clock.monotonic()
    if (now - this.#lookedAt < minuteMs) return 0
    const limits = JSON.stringify(await listPublished(this.#options.storage))
    if (limits !== this.#limits) await this.#wakeChanged('limits')
    this.#limits = limits
    let count = 0
    for await (const { last, ids } of this.#batches(this.#lookedUpTo)) {
      await this.#makeDue(ids, minuteMs)
      this.#lookedUpTo = last
      count += ids.length
      if (count >= perMinute) break
    }
    if (count < perMinute) this.#lookedUpTo = beginning
    this.#lookedAt = now
    return count
  }

  /** Finds the recipients that wait: transport by transport, the oldest first, because the index has them in this order. */
  async *#batches({ waitsFor, id }: Position): AsyncGenerator<{ last: Position; ids: number[] }> {
    const query = this.#db.selectFrom('queue_recipients')
    for (let at: number | null = waitsFor, after = id; at !== null; ) {
      const ofTransport = query.select('id').where('waits_for', '=', at).where('id', '>', after)
      const rows = await ofTransport.orderBy('id').limit(batchSize).execute()
      const ids = rows.map((row) => row.id)
      after = ids.at(-1) ?? 0
      if (ids.length > 0) yield { last: { waitsFor: at, id: after }, ids }
      if (ids.length === batchSize) continue
      const next = query.select((row) => row.fn.min('waits_for').as('waits_for'))
      const { waits_for } = await next.where('waits_for', '>', at).executeTakeFirstOrThrow()
      at = waits_for
      after = 0
    }
  }

  /** Makes recipients due that would wait for longer than a time. */
  async #makeDue(ids: readonly number[], withinMs: number): Promise<void> {
    const { storage, clock, onDue } = this.#options
    const now = clock.now()
    // A row that another transaction has locked is being changed by a person, or made due by another process.
    const unlocked = storage
      .tables<QueueTables>()
      .selectFrom('queue_recipients')
      .select('id')
      .where(storage.isAmong('id', ids))
      .where('waits_for', 'is not', null)
      .where('due_at', '>', now + withinMs)
      .modifyEnd(storage.forUpdateSkipLocked())
    const update = (tx: Transaction<QueueTables>) => {
      const waiting = tx.updateTable('queue_recipients').where('id', 'in', unlocked)
      return waiting.set({ due_at: now }).executeTakeFirst()
    }
    const { numUpdatedRows } = await storage.transaction(update, { isFlushDeferred: true })
    if (numUpdatedRows > 0n) onDue()
    await pause()
  }
}
