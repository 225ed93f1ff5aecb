import { sql } from 'kysely'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import { type AcceptedEvents, acceptedMax } from './event-rate.ts'
import type { DeliveryRow, DeliveryTables } from './table.ts'

/** The deliveries whose events a brake counts together. */
export interface AcceptedQuery {
  transportId: number
  /** Which deliveries through this transport belong to them. */
  has: (delivery: AcceptedDelivery) => boolean
  /** Older ones do not count, in milliseconds since the epoch. */
  since: number
}

export type AcceptedDelivery = Pick<DeliveryRow, 'mautic_id' | 'sender'>

type AcceptedRow = AcceptedDelivery & Pick<DeliveryRow, 'id' | 'started_at' | 'outcome' | 'event'>

/** One read: it blocks SQLite for a few milliseconds. */
const rowsAtOnce = 1_000
/** Where a transport sends for many others, those of one may be far back. */
const rowsMax = 20_000

/**
 * Reads the events of the last accepted deliveries, the newest first: at most `acceptedMax` of the last 20,000 deliveries. Guesses are
 * left out: they may belong to another message.
 */
export async function readAcceptedEvents(
  storage: Storage,
  query: AcceptedQuery,
): Promise<AcceptedEvents[]> {
  const accepted: AcceptedRow[] = []
  let before: AcceptedRow | undefined
  for (let read = 0; read < rowsMax && accepted.length < acceptedMax; read += rowsAtOnce) {
    if (before !== undefined) await pause()
    const rows = await readDeliveries(storage, query, before)
    for (const row of rows) if (row.outcome === 'accepted' && query.has(row)) accepted.push(row)
    before = rows.at(-1)
    if (rows.length < rowsAtOnce) break
  }
  const last = accepted.slice(0, acceptedMax)
  const types = await readTypes(
    storage,
    last.filter(({ event }) => event !== null),
  )
  return last.map(({ id }) => ({
    isBounced: types.get(id)?.has('bounced') ?? false,
    isComplained: types.get(id)?.has('complained') ?? false,
  }))
}

function readDeliveries(
  storage: Storage,
  { transportId, since }: AcceptedQuery,
  before: AcceptedRow | undefined,
): Promise<AcceptedRow[]> {
  const rows = storage
    .tables<DeliveryTables>()
    .selectFrom('deliveries')
    .select(['id', 'started_at', 'mautic_id', 'sender', 'outcome', 'event'])
    .where('transport_id', '=', transportId)
    .where('started_at', '>=', since)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsAtOnce)
  if (before === undefined) return rows.execute()
  const place = sql<boolean>`(started_at, id) < (${before.started_at}, ${before.id})`
  return rows.where('started_at', '<=', before.started_at).where(place).execute()
}

async function readTypes(
  storage: Storage,
  deliveries: readonly AcceptedRow[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  if (deliveries.length === 0) return new Map()
  const times = deliveries.map((delivery) => delivery.started_at)
  const events = await storage
    .tables<DeliveryTables>()
    .selectFrom('delivery_events')
    .select(['delivery_id', 'type'])
    .where(
      storage.isAmong(
        'delivery_id',
        deliveries.map(({ id }) => id),
      ),
    )
    .where('started_at', '>=', Math.min(...times))
    .where('started_at', '<=', Math.max(...times))
    .where('type', 'in', ['bounced', 'complained'])
    .where('is_guess', '=', false)
    .execute()
  const types = new Map<number, Set<string>>()
  for (const { delivery_id: id, type } of events)
    types.set(id, (types.get(id) ?? new Set()).add(type))
  return types
}
