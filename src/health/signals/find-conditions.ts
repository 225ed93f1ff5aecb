import { sql } from 'kysely'
import { formatDate } from '../../kit/iso-date.ts'
import type { Limits } from '../../limits/index.ts'
import { listMauticProblems } from '../../mautic/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { EventType, PublishedEvent } from '../../webhooks/index.ts'

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
  limits: Pick<Limits, 'listRemaining'>
}

/** What goes on, by type. The keys of a type begin with its name. */
const finders = {
  'limit.reached': ({ limits }) => findReached(limits),
  'queue.delayed': ({ storage }, now) => findDelayed(storage, now),
  'mautic.unreachable': ({ storage }) => findUnreachable(storage),
} as const satisfies Partial<
  Record<EventType, (sources: ConditionSources, now: number) => Promise<Condition[]>>
>

/** A type of event that tells of something that goes on. */
type ConditionType = keyof typeof finders

export const conditionTypes = Object.keys(finders) as ConditionType[]

/** Finds what goes on of some types. */
export async function findConditions(
  types: readonly ConditionType[],
  sources: ConditionSources,
  now: number,
): Promise<Condition[]> {
  const conditions: Condition[] = []
  for (const type of types) conditions.push(...(await finders[type](sources, now)))
  return conditions
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
