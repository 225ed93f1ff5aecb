import { sql } from 'kysely'
import {
  type BrakeRow,
  brakeOf,
  defaultTransport,
  describeBrake,
  isTransport,
} from '../../delivery/index.ts'
import { formatDate } from '../../kit/iso-date.ts'
import type { Limits } from '../../limits/index.ts'
import { listMauticProblems } from '../../mautic/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { EventSink, EventType, PublishedEvent } from '../../webhooks/index.ts'

/** Something that goes on, as the database has it: all processes see the same. */
export interface Condition {
  key: string
  event: PublishedEvent
}

/** Transactional messages that wait for longer are delayed. */
const delayedMs = 15 * 60_000
/** How many of the oldest recipients are looked at. */
const oldestMax = 10_000
/** How many of each are looked at. */
const rowsMax = 1_000

export interface ConditionSources {
  storage: Storage
  events: Pick<EventSink, 'wants'>
  limits: Pick<Limits, 'listRemaining'>
}

/** Finds what goes on, of the types that a webhook asks for. The keys of a type begin with its name. */
export async function findConditions(
  { storage, events, limits }: ConditionSources,
  now: number,
): Promise<Condition[]> {
  const finders: Partial<Record<EventType, () => Promise<Condition[]>>> = {
    'brake.applied': () => findBrakes(storage),
    'limit.reached': () => findReached(limits),
    'queue.delayed': () => findDelayed(storage, now),
    'mautic.unreachable': () => findUnreachable(storage),
  }
  const conditions: Condition[] = []
  for (const [type, find] of Object.entries(finders))
    if (events.wants(type as EventType)) conditions.push(...(await find()))
  return conditions
}

/** The types that `findConditions` has. */
export const conditionTypes: readonly EventType[] = [
  'brake.applied',
  'limit.reached',
  'queue.delayed',
  'mautic.unreachable',
]

async function findBrakes(storage: Storage): Promise<Condition[]> {
  const db = storage.tables<unknown>()
  const groups = await sql<
    BrakeRow & { id: number; sender_domain: string; transport_id: number; name: string | null }
  >`select queue_brakes.*, transports.name from queue_brakes
    left join transports on transports.id = queue_brakes.transport_id
    where braked_at is not null order by queue_brakes.id limit ${rowsMax}`.execute(db)
  const broadcasts = await sql<BrakeRow & { id: number }>`select * from broadcasts
    where state = 'paused' and braked_at is not null order by id limit ${rowsMax}`.execute(db)
  return [
    ...groups.rows.map((row) => {
      const transportId = isTransport(row.transport_id) ? row.transport_id : null
      const transport = row.transport_id === defaultTransport ? 'default' : row.name
      const held = `Bulk messages from ${row.sender_domain} are held`
      return conditionOf(row, {
        cause: `brake ${row.id}`,
        data: { brakeId: row.id, senderDomain: row.sender_domain, transportId, transport },
        held,
      })
    }),
    ...broadcasts.rows.map((row) =>
      conditionOf(row, {
        cause: `broadcast ${row.id}`,
        data: { broadcastId: row.id },
        held: `Broadcast ${row.id} is paused`,
      }),
    ),
  ]
}

function conditionOf(
  row: BrakeRow,
  { cause, data, held }: { cause: string; data: object; held: string },
): Condition {
  const brake = brakeOf(row)
  const reason = brake === undefined ? '' : describeBrake(brake)
  const message = `${held}: ${reason} Find out why, then continue or cancel.`
  const event = { type: 'brake.applied' as const, cause, data: { ...data, message } }
  return { key: `brake.applied ${cause} ${row.braked_at}`, event }
}

async function findReached(limits: Pick<Limits, 'listRemaining'>): Promise<Condition[]> {
  const remaining = await limits.listRemaining(rowsMax)
  return remaining.flatMap(({ limit, window, left, freeAt }) => {
    // What is used within a second is soon free.
    if (window === 'second' || left > 0) return []
    const message = `Limit ${limit.id} (${limit.name}) is used up for this ${window}. More is free at ${freeAt}.`
    const data = { limitId: limit.id, limit: limit.name, window, freeAt, message }
    const event = { type: 'limit.reached' as const, cause: `limit ${limit.id}`, data }
    return [{ key: `limit.reached ${limit.id} ${window} ${freeAt}`, event }]
  })
}

async function findDelayed(storage: Storage, now: number): Promise<Condition[]> {
  const before = now - delayedMs
  const { rows } = await sql<{ waiting: number | string; oldest: number | null }>`
    select count(*) as waiting, min(created_at) as oldest from (
      select created_at, state, lane from queue_recipients order by id limit ${sql.lit(oldestMax)}) as first_ones
    where lane = 'transactional' and state in ('queued', 'claimed') and created_at < ${before}`.execute(
    storage.tables<unknown>(),
  )
  const waiting = Number(rows[0]?.waiting ?? 0)
  const oldest = rows[0]?.oldest
  if (waiting === 0 || oldest === null || oldest === undefined) return []
  const oldestAt = formatDate(Number(oldest))
  const who = waiting === 1 ? '1 message waits' : `${waiting} messages wait`
  const message = `${who} for more than 15 minutes, the oldest since ${oldestAt}. Open the queue to find out why.`
  const data = { waiting, oldestAt, message }
  return [{ key: 'queue.delayed', event: { type: 'queue.delayed', cause: 'queue', data } }]
}

async function findUnreachable(storage: Storage): Promise<Condition[]> {
  const mautics = await listMauticProblems(storage)
  return mautics.flatMap(({ id, name, problem }) => {
    if (problem === null) return []
    const message = `The Mautic "${name}" cannot be read: ${problem}`
    const data = { mauticId: id, mautic: name, message }
    const event = { type: 'mautic.unreachable' as const, cause: `mautic ${id}`, data }
    return [{ key: `mautic.unreachable ${id}`, event }]
  })
}
