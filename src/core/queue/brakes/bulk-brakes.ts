import { type Selectable, sql, type Transaction } from 'kysely'
import { type Clock, startStopwatch } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { pause } from '../../../kit/pause.ts'
import { Periodic } from '../../../kit/periodic.ts'
import { SharedCopy } from '../../../kit/shared-copy.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import {
  type ChosenTransport,
  type Deferral,
  type DeliveryRow,
  defaultTransport,
  isTransport,
  type RecipientReport,
  type StoredEvent,
} from '../../delivery/index.ts'
import type { EventSink, PublishedEvent } from '../../published/index.ts'
import type { TransportTables } from '../../transports/index.ts'
import type { QueueBrakesTable, QueueTables } from '../table.ts'
import { type BrakeReason, describeReason } from './brake-windows.ts'
import { type BrakedMessage, type BulkGroup, bulkGroupKey, groupOf } from './bulk-group.ts'
import { findReason } from './find-reason.ts'

/** A group that its brake holds, until a person continues or cancels. */
export interface BrakedGroup extends BulkGroup, BrakeReason {
  id: number
  /** In milliseconds since the epoch. */
  brakedAt: number
}

/** A delivery as its brake sees it. */
export type BrakedDelivery = Pick<
  DeliveryRow,
  'is_bulk' | 'sender' | 'mautic_id' | 'brand_id' | 'transport_id'
>

export interface BulkBrakesOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** Where brakes are published. Default: nowhere. */
  events?: EventSink | undefined
}

const channel = 'queue brakes'
const intervalMs = 250
/** A command of the operator on SQLite notifies no other process. */
const reloadMs = 1_000
/** Longer than it takes until an outcome can be read. */
const settleMs = 50
/** Looks take a tenth of the time at most. */
const restFactor = 10
/** How many deliveries of a transport a look reads, and how often it reads more. */
const rowsMax = 20_000
const moreRowsMax = 300_000
const moreEveryMs = 600_000
/** Older deliveries do not count. */
const countedMs = 30 * 86_400_000
/** One transaction: it blocks SQLite for some ten milliseconds. */
const releasedAtOnce = 500
const triedAtOnce = 10

/**
 * The brakes of the bulk lane. When a message of a group is refused for good, bounces or is complained about, the group's
 * deliveries in the log are counted, and its messages are held if these are too many; see `BrakeWindows`. There is no counter
 * that could be wrong: repeated events change nothing, and several processes come to the same result.
 */
export class BulkBrakes {
  readonly #options: BulkBrakesOptions
  readonly looking: Periodic
  /** By `bulkGroupKey`. */
  readonly #braked: SharedCopy<Map<string, BrakedGroup>>
  /** The groups to look at, by `bulkGroupKey`. */
  readonly #noted = new Map<string, { group: BulkGroup; notedAt: number }>()
  /** When more deliveries of a group were read, by `bulkGroupKey`. */
  readonly #moreReadAt = new Map<string, number>()
  #restsUntil = 0

  constructor(options: BulkBrakesOptions) {
    const { storage, log } = options
    this.#options = options
    this.#braked = new SharedCopy({
      read: async () =>
        new Map((await readBraked(storage)).map((group) => [bulkGroupKey(group), group])),
      empty: new Map(),
      listen: (onChanged) => storage.listen(channel, onChanged),
      intervalMs: reloadMs,
      log,
      events: { failed: 'brakes not read', recovered: 'brakes read again' },
    })
    this.looking = new Periodic({
      task: () => this.#look(),
      intervalMs,
      log,
      events: { failed: 'brakes not written', recovered: 'brakes written again' },
    })
  }

  async start(): Promise<void> {
    await this.#braked.start()
    this.looking.start()
  }

  async stop(): Promise<void> {
    await this.#braked.stop()
    await this.looking.stop()
  }

  /** Returns why a message waits for a person; undefined if it may be sent. */
  find(message: BrakedMessage, route: ChosenTransport): Deferral | undefined {
    if (this.#braked.value.size === 0) return undefined
    const group = groupOf(message, route)
    const braked = group && this.#braked.value.get(bulkGroupKey(group))
    if (braked === undefined || braked.id === message.brake_id) return undefined
    const problem = `Held by the brake of bulk messages from ${braked.senderDomain}: ${describeReason(braked)}`
    return { until: this.#options.clock.now(), problem, brakeId: braked.id }
  }

  /** Notes an attempt: if it was refused for good, its group is looked at soon. */
  noteAttempt(message: BrakedMessage, { state, transportId, brand }: RecipientReport): void {
    if (state === 'refused' && transportId !== undefined && brand !== undefined)
      this.#note(groupOf(message, { transportId, brand }))
  }

  /** Notes deliveries that bounced or were complained about: their groups are looked at soon. */
  noteEvents(deliveries: readonly BrakedDelivery[]): void {
    for (const delivery of deliveries) {
      const lane = delivery.is_bulk ? 'bulk' : 'transactional'
      const { transport_id: transportId, brand_id: brand } = delivery
      this.#note(groupOf({ ...delivery, lane }, { transportId, brand }))
    }
  }

  /** Returns the groups that are held now, the newest first. */
  list(): Promise<BrakedGroup[]> {
    return readBraked(this.#options.storage)
  }

  /** Releases the messages of a group; it counts from here. Returns how many it has released. */
  async end(id: number): Promise<number> {
    const ended = { braked_at: null, continued_at: this.#options.clock.now() }
    await this.#db.updateTable('queue_brakes').set(ended).where('id', '=', id).execute()
    await this.#braked.read()
    this.#options.storage.notify(channel)
    return this.#release(id)
  }

  /** Makes the oldest messages of a group due in spite of its brake. Returns how many. */
  async try(id: number): Promise<number> {
    const held = this.#db.selectFrom('queue_recipients').select('id').where('brake_id', '=', id)
    const oldest = held.where('state', '=', 'held').orderBy('id').limit(triedAtOnce)
    const { numUpdatedRows } = await this.#db
      .updateTable('queue_recipients')
      .set({ state: 'queued', due_at: this.#options.clock.now() })
      .where('id', 'in', oldest)
      .executeTakeFirst()
    return Number(numUpdatedRows)
  }

  /** Releases what was held while its brake ended, and forgets what was continued long ago. Call it now and then. */
  async maintain(): Promise<void> {
    const held = this.#db
      .selectFrom('queue_recipients')
      .select('id')
      .whereRef('brake_id', '=', sql.ref('queue_brakes.id'))
    const ended = this.#db
      .selectFrom('queue_brakes')
      .select('id')
      .where('braked_at', 'is', null)
      .where((brake) => brake.exists(held))
    for (const { id } of await ended.execute()) await this.#release(id)
    await this.#db
      .deleteFrom('queue_brakes')
      .where('braked_at', 'is', null)
      .where('continued_at', '<', this.#options.clock.now() - countedMs)
      .where((brake) => brake.not(brake.exists(held)))
      .execute()
  }

  get #db() {
    return this.#options.storage.tables<QueueTables>()
  }

  #note(group: BulkGroup | undefined): void {
    if (group === undefined) return
    this.#noted.set(bulkGroupKey(group), { group, notedAt: this.#options.clock.monotonic() })
  }

  /** Looks at one group after the other, so that sending goes on. */
  async #look(): Promise<void> {
    const startedAt = this.#options.clock.monotonic()
    if (startedAt < this.#restsUntil) return
    const tookMs = startStopwatch()
    for (const [key, { group, notedAt }] of this.#noted) {
      if (notedAt > startedAt - settleMs) continue
      this.#noted.delete(key)
      try {
        await this.#lookAt(group)
      } catch (error) {
        // It is looked at again, after the others.
        this.#noted.set(key, { group, notedAt })
        throw error
      }
    }
    this.#restsUntil = this.#options.clock.monotonic() + tookMs() * restFactor
  }

  async #lookAt(group: BulkGroup): Promise<void> {
    const query = this.#db.selectFrom('queue_brakes').select(['braked_at', 'continued_at'])
    const row = await query.where((each) => each.and(columnsOf(group))).executeTakeFirst()
    if (row !== undefined && row.braked_at !== null) return
    const continuedAt = row?.continued_at ?? 0
    const reason = await findReason(this.#options.storage, group, {
      // A message that was accepted in the millisecond of the continuation was on its way.
      since: Math.max(continuedAt + 1, this.#options.clock.now() - countedMs),
      rowsMax: this.#rowsMaxOf(bulkGroupKey(group)),
    })
    if (reason !== undefined) await this.#brake(group, reason, continuedAt)
  }

  #rowsMaxOf(key: string): number {
    const now = this.#options.clock.monotonic()
    for (const [each, at] of this.#moreReadAt)
      if (at < now - moreEveryMs) this.#moreReadAt.delete(each)
    if (this.#moreReadAt.has(key)) return rowsMax
    this.#moreReadAt.set(key, now)
    return moreRowsMax
  }

  /** Holds a group and publishes it, unless another process did, or a person has continued it meanwhile. */
  async #brake(group: BulkGroup, reason: BrakeReason, continuedAt: number): Promise<void> {
    const braked = { ...reason, braked_at: this.#options.clock.now() }
    const write = async (tx: Transaction<QueueTables>) => {
      const added = await tx
        .insertInto('queue_brakes')
        .values({ ...columnsOf(group), ...braked })
        .onConflict((conflict) =>
          conflict
            .columns(['mautic_id', 'brand_id', 'sender_domain', 'transport_id'])
            .doUpdateSet(braked)
            .where('queue_brakes.braked_at', 'is', null)
            .where(
              (brake) => brake.fn.coalesce('queue_brakes.continued_at', brake.val(0)),
              '=',
              continuedAt,
            ),
        )
        .returningAll()
        .executeTakeFirst()
      if (added !== undefined && this.#options.events?.wants('brake.applied') === true)
        await this.#options.events.publish(tx, [await describeBrake(tx, toGroup(added))])
      return added
    }
    // Who sees a brake may count on it: messages are held from the commit on, not after a wait for the disk.
    const row = await this.#options.storage.transaction(write, { isFlushDeferred: true })
    if (row === undefined) return
    this.#braked.value.set(bulkGroupKey(group), toGroup(row))
    this.#options.log.warn(
      { brakeId: row.id, ...group, ...reason },
      'bulk messages held by their brake',
    )
    this.#options.storage.notify(channel)
    this.#options.events?.notify()
    // A read that began before it must not end it.
    await this.#braked.read()
  }

  async #release(id: number): Promise<number> {
    const ended = this.#db.selectFrom('queue_brakes').select('id').where('braked_at', 'is', null)
    const some = this.#db
      .selectFrom('queue_recipients')
      .select('id')
      .where('brake_id', '=', id)
      .where((row) => row.exists(ended.where('id', '=', id)))
      .limit(releasedAtOnce)
    for (let released = 0; ; ) {
      const { numUpdatedRows } = await this.#db
        .updateTable('queue_recipients')
        .set({
          state: (row) =>
            row
              .case()
              .when('state', '=', 'held')
              .then('queued' as const)
              .else(row.ref('state'))
              .end(),
          brake_id: null,
        })
        .where('id', 'in', some)
        .executeTakeFirst()
      released += Number(numUpdatedRows)
      if (numUpdatedRows < releasedAtOnce) return released
      await pause()
    }
  }
}

/** Returns the groups that are held now, the newest first. */
export async function readBraked(storage: Storage): Promise<BrakedGroup[]> {
  const query = storage.tables<QueueTables>().selectFrom('queue_brakes').selectAll()
  const rows = await query.where('braked_at', 'is not', null).orderBy('id', 'desc').execute()
  return rows.map(toGroup)
}

function toGroup(row: Selectable<QueueBrakesTable>): BrakedGroup {
  return {
    id: row.id,
    mauticId: row.mautic_id,
    brand: row.brand_id,
    senderDomain: row.sender_domain,
    transportId: row.transport_id,
    kind: row.kind,
    messages: row.messages,
    affected: row.affected,
    brakedAt: row.braked_at ?? 0,
  }
}

function columnsOf({ mauticId, brand, senderDomain, transportId }: BulkGroup) {
  return {
    mautic_id: mauticId,
    brand_id: brand,
    sender_domain: senderDomain,
    transport_id: transportId,
  }
}

/** The event that tells that a group is held. */
async function describeBrake(
  tx: Transaction<QueueTables>,
  { id: brakeId, senderDomain, transportId, ...reason }: BrakedGroup,
): Promise<PublishedEvent> {
  const transports = tx.withTables<TransportTables>().selectFrom('transports').select('name')
  const transport = await transports.where('id', '=', transportId).executeTakeFirst()
  return {
    type: 'brake.applied',
    cause: `brake ${brakeId}`,
    data: {
      brakeId,
      senderDomain,
      transportId: isTransport(transportId) ? transportId : null,
      transport: transportId === defaultTransport ? 'default' : (transport?.name ?? null),
      message: `Bulk messages from ${senderDomain} are held: ${describeReason(reason)} Find out why, then continue or cancel.`,
    },
  }
}

/**
 * Returns the deliveries whose events may pause what is like them. A guess pauses nothing, and neither does a complaint by mail, which
 * every recipient can write.
 */
export function findBraking(stored: readonly StoredEvent[]): DeliveryRow[] {
  return stored
    .filter(({ event: { type, is_guess: isGuess, source } }) => {
      return !isGuess && (type === 'bounced' || (type === 'complained' && source !== 'mail'))
    })
    .map(({ delivery }) => delivery)
}
