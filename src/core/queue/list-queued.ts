import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { pause } from '../../kit/pause.ts'
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
} from '../deliveries/index.ts'
import type { Lane } from '../delivery/index.ts'
import { type ShownState, shownStates, storedState } from './shown-state.ts'
import type { QueueMessageRow, QueueRecipientRow, QueueTables } from './table.ts'

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
}

/** Whether a filter leaves anything out: a blank text, and `*` and `@` alone, leave out nothing. */
export function isFiltered(filter: QueueFilter): boolean {
  const isAnything = (value: unknown) =>
    value === undefined || (typeof value === 'string' && saysNothing(value))
  return Object.values(filter).some((value) => !isAnything(value))
}

/** A recipient in the queue with what is shown of its message: no body. */
export type QueuedRow = Pick<
  QueueRecipientRow,
  'id' | 'message_id' | 'address' | 'state' | 'lane' | 'transport_id' | 'due_at' | 'created_at'
> &
  Pick<QueueRecipientRow, 'attempts' | 'problem' | 'message_key' | 'brake_id'> &
  Pick<
    QueueMessageRow,
    'sender' | 'subject' | 'caller' | 'mautic_id' | 'email_id' | 'contact_id' | 'size_bytes'
  > &
  Pick<QueueMessageRow, 'expires_at'> & {
    /** The Message-ID. */
    header_id: string | null
  }

const columns = sql`r.id, r.message_id, r.address, r.state, r.lane, r.transport_id, r.due_at, r.created_at,
  r.attempts, r.problem, r.message_key, r.brake_id, m.sender, m.subject, m.caller, m.mautic_id, m.email_id,
  m.contact_id, m.size_bytes, m.expires_at, m.message_id as header_id`
const joined = sql`queue_recipients r join queue_messages m on m.id = r.message_id`

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
    return cutPage(await read(db, [...conditions, among, sql`r.id < ${after}`], limit + 1), limit)
  }
  const first = { id: after }
  return scanPage<{ id: number }, QueuedRow>(
    {
      findEnd: (from = first) => findEnd(db, from.id),
      read(from = first, until = { id: 0 }, count) {
        const range = [sql<SqlBool>`r.id < ${from.id}`, sql<SqlBool>`r.id >= ${until.id}`]
        return read(db, [...conditions, ...range], count)
      },
    },
    { after: first, limit },
  )
}

/** Returns one recipient; undefined if it is not in the queue. */
export async function findQueued(storage: Storage, id: number): Promise<QueuedRow | undefined> {
  return (await read(storage.tables(), [sql`r.id = ${id}`], 1))[0]
}

const sameMessageMax = 100

/** Returns the other recipients in the queue of the same message, the first ones. */
export async function findOfSameMessage(storage: Storage, row: QueuedRow): Promise<QueuedRow[]> {
  const isSame = [sql<SqlBool>`r.message_id = ${row.message_id}`, sql<SqlBool>`r.id <> ${row.id}`]
  return read(storage.tables(), isSame, sameMessageMax)
}

/** Yields the ids of the recipients that match, in batches and in order, from after an id to the last one now. */
export async function* readMatching(
  storage: Storage,
  filter: QueueFilter,
  { after, now, size }: { after: number; now: number; size: number },
): AsyncGenerator<{ ids: number[]; end: number }> {
  const db = storage.tables<QueueTables>()
  const { rows: newest } = await sql<{ id: number | null }>`
    select max(id) as id from queue_recipients`.execute(db)
  const last = newest[0]?.id ?? 0
  const few = await findFew(db, filter)
  const among = few === undefined ? [] : [storage.isAmong('r.id', few)]
  const conditions = [...conditionsOf(filter, now), ...among]
  for (let from = after; from < last; ) {
    const { rows } = await sql<{ id: number }>`select id from queue_recipients
      where id > ${from} and id <= ${last} order by id limit 1 offset ${size - 1}`.execute(db)
    const end = few === undefined ? (rows[0]?.id ?? last) : last
    const range = [sql<SqlBool>`r.id > ${from}`, sql<SqlBool>`r.id <= ${end}`]
    const { rows: found } = await sql<{ id: number }>`select r.id from ${joined}
      where ${sql.join([...conditions, ...range], sql` and `)} order by r.id limit ${size}`.execute(
      db,
    )
    const ids = found.map(({ id }) => id)
    // Of few, more may follow the last one.
    from = ids.length === size ? (ids.at(-1) ?? end) : end
    yield { ids, end: from }
    await pause()
  }
}

async function read(
  db: Kysely<QueueTables>,
  conditions: readonly RawBuilder<SqlBool>[],
  limit: number,
): Promise<QueuedRow[]> {
  const where = sql.join([...conditions], sql` and `)
  const query = sql<QueuedRow>`select ${columns} from ${joined}
    where ${where} order by r.id desc limit ${limit}`
  return (await query.execute(db)).rows
}

/** Finds the last recipient of the batch after an id, in the order of the list; undefined if it is the last batch. */
async function findEnd(
  db: Kysely<QueueTables>,
  after: number,
): Promise<{ id: number } | undefined> {
  const { rows } = await sql<{ id: number }>`select id from queue_recipients
    where id < ${after} order by id desc limit 1 offset ${batchSize - 1}`.execute(db)
  return rows[0]
}

/** Finds the recipients that an index leads to, if they are few: by address, or by state and transport. */
async function findFew(
  db: Kysely<QueueTables>,
  { recipient, states, transportId }: QueueFilter,
): Promise<number[] | undefined> {
  const lead: RawBuilder<SqlBool>[] = []
  if (isWholeAddress(recipient)) lead.push(sql`address_key = ${emailKey(recipient)}`)
  else if (states !== undefined || transportId !== undefined) {
    const names = new Set((states ?? shownStates).map(storedState))
    lead.push(sql`state in (${sql.join([...names])})`)
    if (transportId !== undefined) lead.push(sql`transport_id = ${transportId}`)
  }
  if (lead.length === 0) return undefined
  const { rows } = await sql<{ id: number }>`select id from queue_recipients
    where ${sql.join(lead, sql` and `)} limit ${batchSize + 1}`.execute(db)
  return rows.length > batchSize ? undefined : rows.map(({ id }) => id)
}

function conditionsOf(filter: QueueFilter, now: number): RawBuilder<SqlBool>[] {
  const { states, lane, transportId, recipient, sender, subject, emailId, addedBefore } = filter
  const conditions: RawBuilder<SqlBool>[] = []
  if (states !== undefined) {
    const each = states.map((state) => isInState(state, now))
    conditions.push(sql`(${sql.join(each, sql` or `)})`)
  }
  if (lane !== undefined) conditions.push(sql`r.lane = ${lane}`)
  if (transportId !== undefined) conditions.push(sql`r.transport_id = ${transportId}`)
  if (isWholeAddress(recipient)) conditions.push(sql`r.address_key = ${emailKey(recipient)}`)
  else if (recipient !== undefined) conditions.push(isRecipientLike('r.address_key', recipient))
  if (sender !== undefined) conditions.push(isSenderLike('m.sender', sender))
  if (subject !== undefined) conditions.push(contains(subject, ['m.subject']))
  if (emailId !== undefined) conditions.push(sql`m.email_id = ${emailId}`)
  const mauticId = filter.mauticId ?? (emailId === undefined ? undefined : 0)
  if (mauticId !== undefined) conditions.push(sql`m.mautic_id = ${mauticId}`)
  if (filter.isNew === true) conditions.push(sql`r.problem is null`)
  if (addedBefore !== undefined) conditions.push(sql`r.created_at < ${addedBefore}`)
  return conditions.length === 0 ? [sql`1 = 1`] : conditions
}

function isInState(state: ShownState, now: number): RawBuilder<SqlBool> {
  const isStored = sql<SqlBool>`r.state = ${storedState(state)}`
  if (state === 'queued') return sql`(${isStored} and r.due_at <= ${now})`
  return state === 'deferred' ? sql`(${isStored} and r.due_at > ${now})` : isStored
}
