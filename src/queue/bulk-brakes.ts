import {
  type Expression,
  type Selectable,
  type SqlBool,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely'
import type { Deferral, RecipientReport } from '../delivery/index.ts'
import {
  type Brake,
  type BrakeCount,
  brakeColumns,
  brakedByEvents,
  brakedByRefusals,
  brakeEvent,
  brakeOf,
  continuedBrake,
  defaultTransport,
  describeBrake,
  type EventExcess,
  isRefusedTooOften,
  isTransport,
} from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import type { TransportTables } from '../transports/index.ts'
import type { EventSink } from '../webhooks/index.ts'
import { queuedTransportId } from './retry-schedule.ts'
import type { QueueBrakesTable, QueueMessageRow, QueueTables } from './table.ts'

/**
 * The bulk messages of one sender domain through one transport. Those of each Mautic are a group of their own, because a Mautic may
 * write any sender.
 */
export interface BulkGroup {
  /** See `DeliveryRow.mautic_id`. */
  mauticId: number
  senderDomain: string
  /** See `noTransport` and `defaultTransport`. */
  transportId: number
}

/** A group that its brake holds, until a person continues or cancels. */
export interface BrakedGroup extends BulkGroup, Brake {
  id: number
}

/** A message as its brake sees it; `sender` is that of the envelope. */
export type BrakedMessage = Pick<QueueMessageRow, 'lane' | 'sender' | 'mautic_id'>

export interface BulkBrakesOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** Where brakes are published. Default: nowhere. */
  events?: EventSink | undefined
}

const channel = 'queue brakes'
const flushMs = 1_000
/** A group without attempts for so long begins its count again. */
const keepMs = 86_400_000
/** Events of older messages do not count. */
export const eventsMs = 30 * 86_400_000
/** One transaction: it blocks SQLite for some ten milliseconds. */
const releasedAtOnce = 500

/**
 * The brakes of the bulk lane. Each counts the attempts of a group, and holds its messages once too many are refused for
 * good, or too many events came; see `EventBrakes`. Counts and brakes are in the database, so they hold for all processes and
 * after a restart. Attempts are counted in memory first: those that are accepted are written each second, and those that are refused immediately.
 */
export class BulkBrakes {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Log
  readonly #events: EventSink | undefined
  /** By `keyOf`. */
  #braked = new Map<string, BrakedGroup>()
  readonly #pending = new Map<string, BulkGroup & BrakeCount>()
  #flushing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #unlisten: (() => void) | undefined

  constructor({ storage, clock, log, events }: BulkBrakesOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#log = log
    this.#events = events
  }

  async start(): Promise<void> {
    await this.#load()
    this.#unlisten = this.#storage.listen(channel, () => void this.#attempt(() => this.#load()))
    this.#timer = setInterval(() => void this.#tick(), flushMs).unref()
  }

  /** Writes what is counted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#unlisten?.()
    await this.#flushing
    await this.#flushAll()
  }

  /** Returns why a message waits for a person; undefined if it may be sent. */
  find(message: BrakedMessage, transportId: number | null): Deferral | undefined {
    if (this.#braked.size === 0) return undefined
    const group = groupOf(message, transportId ?? defaultTransport)
    const braked = group && this.#braked.get(keyOf(group))
    if (braked === undefined) return undefined
    const problem = `Held by the brake of bulk messages from ${braked.senderDomain}: ${describeBrake(braked)}`
    return { until: this.#clock.now(), problem, brakeId: braked.id }
  }

  /** Counts the outcome of an attempt. An attempt that is made again later is not counted yet. */
  count(message: BrakedMessage, report: RecipientReport): void {
    if (message.lane !== 'bulk' || report.transportId === undefined) return
    const isRefused = report.state === 'refused'
    if (!isRefused && report.state !== 'accepted') return
    const group = groupOf(message, queuedTransportId(report))
    if (group === undefined) return
    this.#add({ ...group, attempts: 1, refused: isRefused ? 1 : 0 })
    if (isRefused) void this.#flushAll()
  }

  /** Returns since when accepted messages of a group count, 0 for always; undefined if it is held already. */
  async countsSince(group: BulkGroup): Promise<number | undefined> {
    const query = this.#db.selectFrom('queue_brakes').select(['braked_at', 'continued_at'])
    const row = await query.where((each) => each.and(columnsOf(group))).executeTakeFirst()
    return row !== undefined && row.braked_at !== null ? undefined : (row?.continued_at ?? 0)
  }

  /** Holds a group for events of its messages, unless a person has continued it after `since`. */
  async brake(group: BulkGroup, excess: EventExcess, since: number): Promise<void> {
    const now = this.#clock.now()
    const row = await this.#storage.transaction(async (tx: Transaction<QueueTables>) => {
      await addGroup(tx, group, now)
      const isDue = sql<SqlBool>`coalesce(continued_at, 0) = ${since}`
      return this.#brake(tx, group, { columns: brakedByEvents(excess, now), isDue })
    })
    if (row !== undefined) for (const braked of toGroups([row])) this.#hold(braked)
  }

  /** Returns the groups that are held now, the newest first. */
  list(): Promise<BrakedGroup[]> {
    return readBraked(this.#storage)
  }

  /** Releases the messages of a group; it counts from here. Returns how many it has released. */
  async end(id: number): Promise<number> {
    const ended = continuedBrake(this.#clock.now())
    const update = this.#db.updateTable('queue_brakes').set(ended).where('id', '=', id)
    await update.execute()
    await this.#load()
    this.#storage.notify(channel)
    return this.#release(id)
  }

  /** Releases what was held while its brake ended, and forgets groups without attempts. Call it now and then. */
  async maintain(): Promise<void> {
    const { rows } = await sql<{ id: number }>`select id from queue_brakes b where braked_at is null
      and exists (select 1 from queue_recipients r where r.brake_id = b.id)`.execute(this.#db)
    for (const { id } of rows) await this.#release(id)
    const now = this.#clock.now()
    // Messages that were accepted before a person continued do not count while they could.
    await sql`delete from queue_brakes where braked_at is null and counted_at < ${now - keepMs}
      and coalesce(continued_at, 0) < ${now - eventsMs}
      and not exists (select 1 from queue_recipients r where r.brake_id = queue_brakes.id)`.execute(
      this.#db,
    )
  }

  get #db() {
    return this.#storage.tables<QueueTables>()
  }

  async #tick(): Promise<void> {
    // A command of the operator on SQLite notifies no other process.
    if (this.#braked.size > 0) await this.#attempt(() => this.#load())
    await this.#flushAll()
  }

  async #load(): Promise<void> {
    const groups = await readBraked(this.#storage)
    this.#braked = new Map(groups.map((group) => [keyOf(group), group]))
  }

  #add(more: BulkGroup & BrakeCount): void {
    const key = keyOf(more)
    const pending = this.#pending.get(key)
    if (pending === undefined) {
      this.#pending.set(key, more)
      return
    }
    pending.attempts += more.attempts
    pending.refused += more.refused
  }

  /** Writes one after the other: what is counted meanwhile is written together. */
  #flushAll(): Promise<void> {
    const flush = async () => {
      do await this.#flush()
      while (this.#hasRefused())
    }
    this.#flushing ??= this.#attempt(flush).finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  #hasRefused(): boolean {
    return [...this.#pending.values()].some(({ refused }) => refused > 0)
  }

  async #flush(): Promise<void> {
    for (const [key, counted] of [...this.#pending]) {
      this.#pending.delete(key)
      try {
        await this.#write(counted)
      } catch (error) {
        this.#add(counted)
        throw error
      }
    }
  }

  async #write(counted: BulkGroup & BrakeCount): Promise<void> {
    const { refused } = counted
    const now = this.#clock.now()
    const brake = brakeColumns('queue_brakes', counted)
    const work = async (tx: Transaction<QueueTables>) => {
      await addGroup(tx, counted, now)
      const row = await tx
        .updateTable('queue_brakes')
        .set({ brake_attempts: brake.attempts, brake_refused: brake.refused, counted_at: now })
        .where((each) => each.and(columnsOf(counted)))
        .returningAll()
        .executeTakeFirst()
      if (refused === 0) return row
      const isDue = isRefusedTooOften('queue_brakes')
      return (await this.#brake(tx, counted, { columns: brakedByRefusals(now), isDue })) ?? row
    }
    const row = await this.#storage.transaction(work, { isFlushDeferred: true })
    if (row === undefined) return
    const [braked] = toGroups([row])
    if (braked === undefined) this.#braked.delete(keyOf(counted))
    else this.#hold(braked)
  }

  /** Holds a group that is not held, and publishes it; returns its row if this did. */
  async #brake(
    tx: Transaction<QueueTables>,
    group: BulkGroup,
    { columns, isDue }: { columns: Updateable<QueueBrakesTable>; isDue: Expression<SqlBool> },
  ): Promise<Selectable<QueueBrakesTable> | undefined> {
    const row = await tx
      .updateTable('queue_brakes')
      .set(columns)
      .where((each) => each.and(columnsOf(group)))
      .where('braked_at', 'is', null)
      .where(isDue)
      .returningAll()
      .executeTakeFirst()
    if (row !== undefined && this.#events?.wants('brake.applied') === true)
      for (const braked of toGroups([row]))
        await this.#events.publish(tx, [await describeGroup(tx, braked)])
    return row
  }

  #hold(braked: BrakedGroup): void {
    const key = keyOf(braked)
    const isNew = !this.#braked.has(key)
    this.#braked.set(key, braked)
    if (!isNew) return
    const { id: brakeId, brakedAt: _, ...facts } = braked
    this.#log.warn({ brakeId, ...facts }, 'bulk messages held by their brake')
    this.#storage.notify(channel)
    this.#events?.notify()
  }

  async #release(id: number): Promise<number> {
    for (let released = 0; ; ) {
      const { numAffectedRows = 0n } = await sql`
        update queue_recipients set state = case when state = 'held' then 'queued' else state end, brake_id = null
        where id in (select id from queue_recipients where brake_id = ${id}
          and exists (select 1 from queue_brakes where id = ${id} and braked_at is null)
          limit ${releasedAtOnce})`.execute(this.#db)
      released += Number(numAffectedRows)
      if (numAffectedRows < releasedAtOnce) return released
      await pause()
    }
  }

  /** What fails is done again within a second. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (err) {
      this.#log.warn({ err }, 'brakes of bulk messages not read or written')
    }
  }
}

/** The messages of a group in the queue, as a filter of the queue. */
export function filterOf({ mauticId, senderDomain, transportId }: BulkGroup) {
  return { lane: 'bulk', mauticId, transportId, sender: `*@${senderDomain}` } as const
}

/** Returns the groups that are held now, the newest first. */
export async function readBraked(storage: Storage): Promise<BrakedGroup[]> {
  const query = storage.tables<QueueTables>().selectFrom('queue_brakes').selectAll()
  const rows = await query.where('braked_at', 'is not', null).orderBy('id', 'desc').execute()
  return toGroups(rows)
}

function toGroups(rows: readonly Selectable<QueueBrakesTable>[]): BrakedGroup[] {
  return rows.flatMap((row) => {
    const { id, mautic_id: mauticId, sender_domain: senderDomain, transport_id: transportId } = row
    const brake = brakeOf(row)
    return brake === undefined ? [] : [{ id, mauticId, senderDomain, transportId, ...brake }]
  })
}

function columnsOf({ mauticId, senderDomain, transportId }: BulkGroup) {
  return { mautic_id: mauticId, sender_domain: senderDomain, transport_id: transportId }
}

async function addGroup(
  tx: Transaction<QueueTables>,
  group: BulkGroup,
  now: number,
): Promise<void> {
  const insert = tx.insertInto('queue_brakes').values({ ...columnsOf(group), counted_at: now })
  await insert.onConflict((conflict) => conflict.doNothing()).execute()
}

/** The event that tells that a group is held. */
async function describeGroup(
  tx: Transaction<QueueTables>,
  { id: brakeId, senderDomain, transportId: column, ...brake }: BrakedGroup,
) {
  const transportId = isTransport(column) ? column : null
  const transports = tx.withTables<TransportTables>().selectFrom('transports').select('name')
  const transport = await transports.where('id', '=', column).executeTakeFirst()
  const name = column === defaultTransport ? 'default' : (transport?.name ?? null)
  return brakeEvent(brake, {
    cause: `brake ${brakeId}`,
    paused: `Bulk messages from ${senderDomain} are held`,
    data: { brakeId, senderDomain, transportId, transport: name },
  })
}

/** Returns undefined for messages without a brake: transactional ones, and those without a plain sender domain. */
function groupOf(
  { lane, sender, mautic_id: mauticId }: BrakedMessage,
  transportId: number,
): BulkGroup | undefined {
  const senderDomain = lane === 'bulk' ? senderDomainOf(sender) : undefined
  return senderDomain === undefined ? undefined : { mauticId, senderDomain, transportId }
}

/** Returns the domain of a sender as groups have it; undefined if it is not plain. */
export function senderDomainOf(sender: string): string | undefined {
  const domain = sender.slice(sender.lastIndexOf('@') + 1)
  // The group is a filter of the queue, in which * stands for any text.
  if (!sender.includes('@') || !/^[^\s*]{1,255}$/.test(domain)) return undefined
  // As the database lowers it: SQLite knows ASCII only.
  return domain.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Identifies a group in memory. */
export function keyOf({ mauticId, senderDomain, transportId }: BulkGroup): string {
  return `${mauticId} ${transportId} ${senderDomain}`
}
