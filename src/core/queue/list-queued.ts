import { type Expression, expressionBuilder, type Kysely, type SqlBool } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { pause } from '../../kit/pause.ts'
import { ownedBy } from '../../platform/resource/index.ts'
import {
  type ContinuedPage,
  cutPage,
  type Storage,
  scanPage,
} from '../../platform/storage/index.ts'
import {
  contains,
  isRecipientLike,
  isSenderLike,
  isWholeAddress,
  saysNothing,
  visibleBrands,
} from '../deliveries/index.ts'
import type { Lane } from '../delivery/index.ts'
import { type ShownState, shownStates, storedState } from './shown-state.ts'
import type { QueueTables } from './table.ts'

/** Chooses recipients in the queue; a recipient must match all of it. */
export interface QueueFilter {
  states?: readonly ShownState[] | undefined
  lane?: Lane | undefined
  /** The value of the column; see `noTransport` and `defaultTransport`. */
  transportId?: number | undefined
  /** See `addressPattern`. */
  recipient?: string | undefined
  /** Of the envelope; see `addressPattern`. */
  sender?: string | undefined
  /** Part of it. */
  subject?: string | undefined
  /** Of messages of this Mautic. Default: of all; an email is one of Mailyard's own. */
  mauticId?: number | undefined
  emailId?: number | undefined
  /** No attempt has been made yet. */
  isNew?: true | undefined
  /** Milliseconds since the epoch. */
  addedBefore?: number | undefined
  /** Of messages of these brands. Default: of all, and of none. */
  brands?: readonly number[] | undefined
}

/** Limits a filter to the messages that a caller owns. */
export function ownMessages(filter: QueueFilter, caller: Caller): QueueFilter {
  return { ...filter, brands: visibleBrands(caller, filter.brands) }
}

/** Whether a filter leaves anything out: a blank text, and `*` and `@` alone, leave out nothing. */
export function isFiltered(filter: QueueFilter): boolean {
  const isAnything = (value: unknown) =>
    value === undefined || (typeof value === 'string' && saysNothing(value))
  return Object.values(filter).some((value) => !isAnything(value))
}

/** A recipient in the queue with what is shown of its message: no body. */
export type QueuedRow = Awaited<ReturnType<typeof read>>[number]

type Condition = Expression<SqlBool>

/** The tables of a condition. */
const where = expressionBuilder<
  { r: QueueTables['queue_recipients']; m: QueueTables['queue_messages'] },
  'r' | 'm'
>()

/** So many recipients are read at once; the fewer are found first by an index. */
const batchSize = 2_000

/** The last row of the page before, the number of rows, and the key of the caller. */
export interface QueuePage {
  owner: string
  after?: number | undefined
  limit: number
  now: number
}

/** Lists recipients, the newest first. */
export async function listQueued(
  storage: Storage,
  filter: QueueFilter,
  { owner, after = Number.MAX_SAFE_INTEGER, limit, now }: QueuePage,
): Promise<ContinuedPage<QueuedRow, { id: number }>> {
  const { db, isInTime } = storage.lists<QueueTables>(owner)
  const conditions = [isInTime, ...conditionsOf(filter, now)]
  const few = await findFew(db, filter)
  if (few !== undefined) {
    const among = storage.isAmong('r.id', few)
    const isAfter = where('r.id', '<', after)
    return cutPage(await read(db, [...conditions, among, isAfter], limit + 1), limit)
  }
  const first = { id: after }
  return scanPage<{ id: number }, QueuedRow>(
    {
      findEnd: (from = first) => findEnd(db, filter, from.id),
      read(from = first, until = { id: 0 }, count) {
        const range = [where('r.id', '<', from.id), where('r.id', '>=', until.id)]
        return read(db, [...conditions, ...range], count)
      },
    },
    { after: first, limit },
  )
}

/** Returns one recipient; undefined if it is not in the queue. */
export async function findQueued(storage: Storage, id: number): Promise<QueuedRow | undefined> {
  return (await read(storage.tables(), [where('r.id', '=', id)], 1))[0]
}

const sameMessageMax = 100

/** Returns the other recipients in the queue of the same message, the first ones. */
export async function findOfSameMessage(storage: Storage, row: QueuedRow): Promise<QueuedRow[]> {
  const isSame = [where('r.message_id', '=', row.message_id), where('r.id', '<>', row.id)]
  return read(storage.tables(), isSame, sameMessageMax)
}

/** Yields the ids of the recipients that match, in batches and in order, from after an id to the last one now. */
export async function* readMatching(
  storage: Storage,
  filter: QueueFilter,
  { after, now, size }: { after: number; now: number; size: number },
): AsyncGenerator<{ ids: number[]; end: number }> {
  const db = storage.tables<QueueTables>()
  const all = candidates(db, filter)
  const last = (await all.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0
  const few = await findFew(db, filter)
  const among = few === undefined ? [] : [storage.isAmong('r.id', few)]
  const conditions = [...conditionsOf(filter, now), ...among]
  for (let from = after; from < last; ) {
    const batch = all.where('id', '>', from).where('id', '<=', last).orderBy('id')
    const batchEnd = await batch
      .limit(1)
      .offset(size - 1)
      .executeTakeFirst()
    const end = few === undefined ? (batchEnd?.id ?? last) : last
    const range = [where('r.id', '>', from), where('r.id', '<=', end)]
    const found = joined(db).where(where.and([...conditions, ...range]))
    const rows = await found.select('r.id').orderBy('r.id').limit(size).execute()
    const ids = rows.map(({ id }) => id)
    // Of few, more may follow the last one.
    from = ids.length === size ? (ids.at(-1) ?? end) : end
    yield { ids, end: from }
    await pause()
  }
}

/** The recipients that batches are made of: an index leads to those of brands. */
function candidates(db: Kysely<QueueTables>, { brands }: QueueFilter) {
  const all = db.selectFrom('queue_recipients').select('id')
  return brands === undefined ? all : all.where(ownedBy({ brands }))
}

function joined(db: Kysely<QueueTables>) {
  return db
    .selectFrom('queue_recipients as r')
    .innerJoin('queue_messages as m', 'm.id', 'r.message_id')
}

function read(db: Kysely<QueueTables>, conditions: readonly Condition[], limit: number) {
  return joined(db)
    .select(['r.id', 'r.message_id', 'r.address', 'r.state', 'r.lane', 'r.transport_id'])
    .select(['r.due_at', 'r.created_at', 'r.attempts', 'r.problem', 'r.message_key', 'r.brake_id'])
    .select('r.brand_id')
    .select(['m.sender', 'm.subject', 'm.caller', 'm.mautic_id', 'm.email_id', 'm.contact_id'])
    .select(['m.size_bytes', 'm.expires_at', 'm.message_id as header_id'])
    .where(where.and(conditions))
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute()
}

/** Finds the last recipient of the batch after an id, in the order of the list; undefined if it is the last batch. */
function findEnd(
  db: Kysely<QueueTables>,
  filter: QueueFilter,
  after: number,
): Promise<{ id: number } | undefined> {
  return candidates(db, filter)
    .where('id', '<', after)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(batchSize - 1)
    .executeTakeFirst()
}

/** Finds the recipients that an index leads to, if they are few: by address, or by state and transport. */
async function findFew(
  db: Kysely<QueueTables>,
  { recipient, states, transportId }: QueueFilter,
): Promise<number[] | undefined> {
  let few = db
    .selectFrom('queue_recipients')
    .select('id')
    .limit(batchSize + 1)
  if (isWholeAddress(recipient)) few = few.where('address_key', '=', emailKey(recipient))
  else if (states === undefined && transportId === undefined) return undefined
  else {
    few = few.where('state', 'in', [...new Set((states ?? shownStates).map(storedState))])
    if (transportId !== undefined) few = few.where('transport_id', '=', transportId)
  }
  const rows = await few.execute()
  return rows.length > batchSize ? undefined : rows.map(({ id }) => id)
}

function conditionsOf(filter: QueueFilter, now: number): Condition[] {
  const { states, lane, transportId, recipient, sender, subject, emailId, addedBefore } = filter
  const conditions: Condition[] = []
  if (states !== undefined) conditions.push(where.or(states.map((each) => isInState(each, now))))
  if (lane !== undefined) conditions.push(where('r.lane', '=', lane))
  if (transportId !== undefined) conditions.push(where('r.transport_id', '=', transportId))
  if (isWholeAddress(recipient)) conditions.push(where('r.address_key', '=', emailKey(recipient)))
  else if (recipient !== undefined) conditions.push(isRecipientLike('r.address_key', recipient))
  if (sender !== undefined) conditions.push(isSenderLike('m.sender', sender))
  if (subject !== undefined) conditions.push(contains(subject, ['m.subject']))
  if (emailId !== undefined) conditions.push(where('m.email_id', '=', emailId))
  const mauticId = filter.mauticId ?? (emailId === undefined ? undefined : 0)
  if (mauticId !== undefined) conditions.push(where('m.mautic_id', '=', mauticId))
  if (filter.brands !== undefined) conditions.push(ownedBy({ brands: filter.brands }, 'r.brand_id'))
  if (filter.isNew === true) conditions.push(where('r.problem', 'is', null))
  if (addedBefore !== undefined) conditions.push(where('r.created_at', '<', addedBefore))
  return conditions
}

function isInState(state: ShownState, now: number): Condition {
  const isStored = where('r.state', '=', storedState(state))
  if (state === 'queued') return isStored.and('r.due_at', '<=', now)
  return state === 'deferred' ? isStored.and('r.due_at', '>', now) : isStored
}
