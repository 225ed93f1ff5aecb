import {
  type Expression,
  expressionBuilder,
  type RawBuilder,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { Storage } from '../../platform/storage/index.ts'
import { minuteMs } from './counts-table.ts'
import { countedAs, type DeliveryEventType, gravestOf } from './events.ts'
import type { DeliveryReference } from './log/delivery-keys.ts'
import { type BulkQuery, createBulkQuery } from './log/delivery-row.ts'
import type { DeliveryEventRow, DeliveryRow, DeliveryTables } from './table.ts'

/** The deliveries of recipients at some time: those that events may be about. */
export interface CandidateQuery {
  /** By recipient (see `emailKey`): the ids of messages that the provider names, without angle brackets. */
  idsByRecipient: ReadonlyMap<string, ReadonlySet<string>>
  from: number
  to: number
}

const candidateColumns = [
  'id',
  'started_at',
  'recipient_key',
  'transport_id',
  'brand_id',
  'outcome',
  'message_id',
  'provider_id',
] as const satisfies (keyof DeliveryRow)[]

/** A delivery that an event may be about. */
export type CandidateDelivery = Pick<DeliveryRow, (typeof candidateColumns)[number]>

/** An event of a delivery that is not known to be new. */
export type NewDeliveryEvent = Omit<DeliveryEventRow, 'id' | 'is_first' | 'transport_id'>

/** An event that was stored now, and its delivery. */
export interface StoredEvent {
  event: Omit<DeliveryEventRow, 'id'>
  delivery: DeliveryRow
}

type Tx = Transaction<DeliveryTables>

const where = expressionBuilder<DeliveryTables, 'delivery_events'>()

/** The newest of a recipient: a busy one has any number. */
const candidatesMax = 50
/** How many of a recipient with more are searched for ids, and of how many recipients: it blocks SQLite. */
const searchedMax = 1_000
const busyMax = 20
/** One number of recipients is one prepared statement. */
const recipientsPerQuery = 50
const columns = [
  'delivery_id',
  'started_at',
  'transport_id',
  'type',
  'class',
  'at',
  'received_at',
  'reason',
  'provider',
  'source',
  'is_guess',
  'is_first',
  'event_key',
] as const satisfies (keyof DeliveryEventRow)[]

/** What providers say of deliveries: the table `delivery_events`, and what is counted by it. */
export class DeliveryEvents {
  readonly #storage: Storage
  readonly #insert: BulkQuery<Pick<DeliveryEventRow, 'delivery_id' | 'event_key'>>

  constructor(storage: Storage) {
    const db = storage.tables<DeliveryTables>()
    this.#storage = storage
    this.#insert = createBulkQuery((count) => {
      const rows = sql.join(Array.from({ length: count }, placeholders))
      const names = sql.join(columns.map((column) => sql.ref(column)))
      return sql`insert into delivery_events (${names}) values ${rows}
        on conflict (delivery_id, started_at, event_key) do nothing
        returning delivery_id, event_key`.compile(db)
    })
  }

  /**
   * Finds the deliveries of recipients that events may be about: the newest 50 of each, and of a recipient with more those of
   * the last 1,000 that have one of the ids.
   */
  async findCandidates(
    tx: Tx,
    { idsByRecipient, from, to }: CandidateQuery,
  ): Promise<CandidateDelivery[]> {
    const recipientKeys = [...idsByRecipient.keys()]
    const candidates: CandidateDelivery[] = []
    for (let start = 0; start < recipientKeys.length; start += recipientsPerQuery) {
      const some = recipientKeys.slice(start, start + recipientsPerQuery)
      const selection = this.#storage.selectOfEach(some, {
        table: 'deliveries',
        columns: sql.join(candidateColumns.map((column) => sql.ref(column))),
        rest: (recipientKey) => sql`where ${isCandidate(recipientKey, { from, to })}
          order by started_at desc limit ${sql.lit(candidatesMax)}`,
      })
      candidates.push(...(await sql<CandidateDelivery>`${selection}`.execute(tx)).rows)
    }
    const byRecipient = Map.groupBy(candidates, (row) => row.recipient_key)
    const busy = [...byRecipient].filter(([, rows]) => rows.length >= candidatesMax)
    for (const [recipientKey] of busy.slice(0, busyMax)) {
      const ids = idsByRecipient.get(recipientKey) ?? new Set()
      candidates.push(...(await findNamed(tx, { recipientKey, ids, from, to })))
    }
    return candidates
  }

  /** Finds deliveries that are known by their ids and times. */
  async findReferenced(
    tx: Tx,
    references: readonly DeliveryReference[],
  ): Promise<CandidateDelivery[]> {
    if (references.length === 0) return []
    const ids = references.map(({ id }) => id)
    return tx
      .selectFrom('deliveries')
      .select(candidateColumns)
      .where(this.#storage.isAmong('id', ids))
      .where(isBetween(references))
      .execute()
  }

  /**
   * Stores events and counts them: in their deliveries and in the statistics. An event that is stored already changes nothing.
   *
   * @returns The events that are new. Their deliveries are as they were before, and locked.
   */
  async store(tx: Tx, events: readonly NewDeliveryEvent[]): Promise<StoredEvent[]> {
    if (events.length === 0) return []
    const deliveries = await this.#lock(tx, events)
    const known = await this.#findKnown(tx, events)
    const stored: StoredEvent[] = []
    for (const event of events) {
      const delivery = deliveries.get(event.delivery_id)
      if (delivery === undefined) continue
      const ofDelivery = known.get(delivery.id) ?? { types: new Set(), keys: new Set() }
      known.set(delivery.id, ofDelivery)
      if (ofDelivery.keys.has(event.event_key)) continue
      const isFirst = !ofDelivery.types.has(event.type)
      ofDelivery.keys.add(event.event_key)
      ofDelivery.types.add(event.type)
      stored.push({
        event: { ...event, transport_id: delivery.transport_id, is_first: isFirst },
        delivery,
      })
    }
    await this.#insert(
      tx,
      stored.map(({ event }) => columns.map((column) => event[column])),
    )
    await this.#setGravest(tx, stored)
    await this.#count(tx, stored)
    return stored
  }

  /** In the order of ids, so that two transactions cannot deadlock. */
  async #lock(tx: Tx, events: readonly NewDeliveryEvent[]): Promise<Map<number, DeliveryRow>> {
    const ids = [...new Set(events.map((event) => event.delivery_id))]
    const rows = await tx
      .selectFrom('deliveries')
      .selectAll()
      .where(this.#storage.isAmong('id', ids))
      .where(isBetween(events))
      .orderBy('id')
      .modifyEnd(this.#storage.forUpdate())
      .execute()
    return new Map(rows.map((row) => [row.id, row]))
  }

  async #findKnown(tx: Tx, events: readonly NewDeliveryEvent[]) {
    const ids = [...new Set(events.map((event) => event.delivery_id))]
    const rows = await tx
      .selectFrom('delivery_events')
      .select(['delivery_id', 'type', 'event_key'])
      .where(this.#storage.isAmong('delivery_id', ids))
      .where(isBetween(events))
      .execute()
    const known = new Map<number, { types: Set<DeliveryEventType>; keys: Set<string> }>()
    for (const { delivery_id: id, type, event_key: key } of rows) {
      const { types, keys } = known.get(id) ?? { types: new Set(), keys: new Set() }
      known.set(id, { types: types.add(type), keys: keys.add(key) })
    }
    return known
  }

  /** Sets the gravest event of each delivery, with one statement for each type. */
  async #setGravest(tx: Tx, stored: readonly StoredEvent[]): Promise<void> {
    const byDelivery = Map.groupBy(stored, ({ delivery }) => delivery.id)
    const changed = [...byDelivery.values()].flatMap((ofOne) => {
      const [first] = ofOne
      if (first === undefined) return []
      const { id, started_at: startedAt, event: before = null } = first.delivery
      const types = ofOne.map(({ event }) => event.type)
      const gravest = gravestOf(before === null ? types : [before, ...types])
      return gravest === undefined || gravest === before
        ? []
        : [{ id, started_at: startedAt, gravest }]
    })
    for (const [gravest, rows] of Map.groupBy(changed, (each) => each.gravest)) {
      const ids = rows.map(({ id }) => id)
      const update = tx.updateTable('deliveries').set('event', gravest)
      await update.where(this.#storage.isAmong('id', ids)).where(isBetween(rows)).execute()
    }
  }

  /** Appends the first events of each type to the changes of the counts, at the time of their deliveries; see `foldChanges`. */
  async #count(tx: Tx, stored: readonly StoredEvent[]): Promise<void> {
    const first = stored.filter(({ event }) => event.is_first)
    const groups = Map.groupBy(first, ({ event, delivery: { source, brand_id: brand } }) =>
      [minuteOf(event.started_at), event.transport_id, source, event.type, brand].join(' '),
    )
    const changes = [...groups.values()].flatMap((group) => {
      const [one] = group
      if (one === undefined) return []
      const { event, delivery } = one
      return {
        started_at: minuteOf(event.started_at),
        transport_id: event.transport_id,
        source: delivery.source,
        outcome: countedAs(event.type),
        brand_id: delivery.brand_id,
        change: group.length,
      }
    })
    if (changes.length > 0) await tx.insertInto('delivery_count_changes').values(changes).execute()
  }
}

function isCandidate(
  recipientKey: RawBuilder<string>,
  { from, to }: Pick<CandidateQuery, 'from' | 'to'>,
): RawBuilder<boolean> {
  return sql`recipient_key = ${recipientKey} and started_at >= ${from} and started_at <= ${to}
    and outcome in ('accepted', 'deferred', 'uncertain', 'started')`
}

/** Finds the deliveries of a recipient that have one of these ids, among the last 1,000. */
async function findNamed(
  tx: Tx,
  {
    recipientKey,
    ids,
    from,
    to,
  }: Pick<CandidateQuery, 'from' | 'to'> & { recipientKey: string; ids: ReadonlySet<string> },
): Promise<CandidateDelivery[]> {
  if (ids.size === 0) return []
  const names = [...ids].flatMap((id) => [id, `<${id}>`])
  const newest = tx.selectFrom('deliveries').orderBy('started_at', 'desc')
  const oldestSearched = newest
    .select('started_at')
    .where('recipient_key', '=', recipientKey)
    .where((where) => where.between('started_at', from, to))
    .limit(1)
    .offset(searchedMax)
  return newest
    .select(candidateColumns)
    .where(isCandidate(sql.val(recipientKey), { from, to }))
    .where('started_at', '>=', (row) => row.fn.coalesce(oldestSearched, row.val(from)))
    .where((where) => where('provider_id', 'in', names).or('message_id', 'in', names))
    .limit(candidatesMax)
    .execute()
}

/** Removes the events of some deliveries, with their counts, in the transaction that removes these. */
export async function removeEvents(
  tx: Tx,
  storage: Storage,
  deliveries: readonly DeliveryReference[],
): Promise<void> {
  const ids = deliveries.map(({ id }) => id)
  const isOfThese = where.and([
    storage.isAmong('delivery_id', ids),
    isBetween(deliveries, 'delivery_events.started_at'),
  ])
  await sql`insert into delivery_count_changes
      (started_at, transport_id, source, outcome, brand_id, change)
    select delivery_events.started_at - delivery_events.started_at % ${sql.lit(minuteMs)},
      delivery_events.transport_id, deliveries.source, 'event:' || type, brand_id, -count(*)
    from delivery_events join deliveries on deliveries.id = delivery_id
      and deliveries.started_at = delivery_events.started_at
    where is_first and ${isOfThese} group by 1, 2, 3, 4, 5`.execute(tx)
  await tx.deleteFrom('delivery_events').where(isOfThese).execute()
}

/** With the times, PostgreSQL reads few partitions. */
function isBetween(
  rows: readonly Pick<DeliveryRow, 'started_at'>[],
  column: 'started_at' | 'delivery_events.started_at' = 'started_at',
): Expression<SqlBool> {
  const times = rows.map((row) => row.started_at)
  return where.between(column, Math.min(...times), Math.max(...times))
}

function minuteOf(time: number): number {
  return time - (time % minuteMs)
}

/** In the order of `columns`. With casts: PostgreSQL does not infer the types of a values list. */
function placeholders(): RawBuilder<unknown> {
  return sql`(${0}, ${0}, ${0}, ${''}, ${''}, ${0}, ${0}, ${''}, ${''}, ${''}, ${false}, ${false}, ${''})`
}
