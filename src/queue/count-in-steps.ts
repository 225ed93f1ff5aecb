import { type RawBuilder, sql } from 'kysely'
import type { Lane } from '../delivery/index.ts'
import { noTransport } from '../delivery/index.ts'
import { createPacer } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import { lanes, type ShownState, type StateCount } from './shown-state.ts'
import type { QueueState, QueueTables } from './table.ts'

/** The entries of the index that one statement counts: about a millisecond. */
const stepSize = 10_000

/** Recipients that are due after the one time, until the other. */
interface DueRange {
  after: number
  until: number
}

/** A part of the index `queue_recipients_due`. */
interface IndexPart extends DueRange {
  state: QueueState
  transportId: number
  lane: Lane
}

/** Counts the queue in a database that runs in this process, some thousand entries of the index at a time, with pauses. */
export async function countInSteps(storage: Storage, now: number): Promise<StateCount[]> {
  const due: DueRange = { after: -1, until: now }
  const later: DueRange = { after: now, until: Number.MAX_SAFE_INTEGER }
  const whole: DueRange = { after: -1, until: Number.MAX_SAFE_INTEGER }
  const parts: [ShownState, QueueState, DueRange][] = [
    ['queued', 'queued', due],
    ['deferred', 'queued', later],
    ['sending', 'claimed', whole],
    ['held', 'held', whole],
    ['uncertain', 'uncertain', whole],
  ]
  const counts: StateCount[] = []
  for (const [shown, state, range] of parts)
    for (const transportId of await findTransports(storage, state))
      for (const lane of lanes) {
        const count = await countPart(storage, { ...range, state, transportId, lane })
        if (count !== undefined) counts.push({ ...count, state: shown })
      }
  return counts
}

/** Skips from one transport to the next in the index. */
async function findTransports(storage: Storage, state: QueueState): Promise<number[]> {
  const next = (after: RawBuilder<unknown>) =>
    sql`select min(transport_id) from queue_recipients where state = ${state} and transport_id > ${after}`
  const { rows } = await sql<{ id: number }>`
    with recursive transports (id) as (
      select (${next(sql`${noTransport - 1}`)})
      union all select (${next(sql`transports.id`)}) from transports where transports.id is not null)
    select id from transports where id is not null`.execute(storage.tables<QueueTables>())
  return rows.map(({ id }) => id)
}

async function countPart(
  storage: Storage,
  part: IndexPart,
): Promise<Omit<StateCount, 'state'> | undefined> {
  const total = { count: 0, firstId: Number.MAX_SAFE_INTEGER, nextAt: Number.MAX_SAFE_INTEGER }
  for await (const step of readSteps(storage, part)) {
    total.count += step.count
    total.firstId = Math.min(total.firstId, step.first_id ?? total.firstId)
    total.nextAt = Math.min(total.nextAt, step.first_due ?? total.nextAt)
  }
  if (total.count === 0) return undefined
  const oldest_at = await findTime(storage, total.firstId)
  const { transportId: transport_id, lane } = part
  return { transport_id, lane, count: total.count, oldest_at, next_at: total.nextAt }
}

interface Step {
  count: number
  first_id: number | null
  last_id: number | null
  first_due: number | null
  last_due: number | null
}

/** Yields the counts of consecutive pieces of a part. Any number of recipients may be due at the same time. */
async function* readSteps(storage: Storage, part: IndexPart): AsyncGenerator<Step> {
  const pace = createPacer()
  const read = async (where: RawBuilder<unknown>): Promise<Step> => {
    await pace()
    return readStep(storage, part, where)
  }
  for (let { after } = part; ; ) {
    const step = await read(sql`due_at > ${after} and due_at <= ${part.until}`)
    if (step.count < stepSize || step.last_due === null) return yield step
    yield await read(sql`due_at > ${after} and due_at < ${step.last_due}`)
    after = step.last_due
    let id: number | null = 0
    while (id !== null) {
      const same: Step = await read(sql`due_at = ${after} and id > ${id}`)
      yield same
      id = same.count < stepSize ? null : same.last_id
    }
  }
}

async function readStep(
  storage: Storage,
  { state, transportId, lane }: IndexPart,
  where: RawBuilder<unknown>,
): Promise<Step> {
  const { rows } = await sql<Step>`
    select count(*) as count, min(id) as first_id, max(id) as last_id,
      min(due_at) as first_due, max(due_at) as last_due
    from (select id, due_at from queue_recipients
      where state = ${state} and transport_id = ${transportId} and lane = ${lane} and ${where}
      order by due_at, id limit ${stepSize})`.execute(storage.tables<QueueTables>())
  const [step] = rows
  if (step === undefined) throw new Error('The database has not counted.')
  return step
}

/** Ids ascend with time. If the recipient was removed, the next one counts. */
async function findTime(storage: Storage, id: number): Promise<number> {
  const query = storage.tables<QueueTables>().selectFrom('queue_recipients').select('created_at')
  const row = await query.where('id', '>=', id).orderBy('id').limit(1).executeTakeFirst()
  return row?.created_at ?? Number.MAX_SAFE_INTEGER
}
