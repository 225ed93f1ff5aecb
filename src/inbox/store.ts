import { type Kysely, sql, type Transaction } from 'kysely'
import { normalizeForSearch } from '../kit/normalize-for-search.ts'
import type { ListReads, Storage } from '../storage/index.ts'
import type { InboxRow, InboxTables } from './table.ts'

/** What one stored message is charged besides its bytes: the row, and its indexes. */
const rowBytes = 1_024
/** Rows that one transaction deletes at most, and bytes: some ten milliseconds. */
const rowsPerBatch = 200
const bytesPerRead = 8 * 1_048_576

const listed = [
  'id',
  'captured_at',
  'sender',
  'recipients',
  'subject',
  'message_id',
  'transport_id',
  'transport',
  'size_bytes',
] as const

/** A row without its source. */
export type ListedRow = Pick<InboxRow, (typeof listed)[number]>

/** Which messages a list has: all that is given must hold. */
export interface InboxQuery {
  /** Only those older than this one. */
  before: number | undefined
  start: number
  limit: number
  transportId: number | undefined
  /** Part of sender, recipients or subject. */
  search: string | undefined
}

/** The bytes that a message counts for. */
export const chargeOf = (sizeBytes: number) => sizeBytes + rowBytes

export async function insertMessage(storage: Storage, row: Omit<InboxRow, 'id'>): Promise<number> {
  return storage.transaction(async (tx: Transaction<InboxTables>) => {
    const query = tx.insertInto('inbox_messages').values(row).returning('id')
    return (await query.executeTakeFirstOrThrow()).id
  })
}

/** The newest first. */
export async function listMessages(
  reads: ListReads<InboxTables>,
  query: InboxQuery,
): Promise<{ rows: ListedRow[]; total: number }> {
  const { before, start, limit } = query
  const matching = matches(reads, query)
  const { total } = await matching
    .select((where) => where.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()
  const page = before === undefined ? matching : matching.where('id', '<', before)
  const rows = await page.select(listed).orderBy('id', 'desc').offset(start).limit(limit).execute()
  return { rows, total: Number(total) }
}

function matches(reads: ListReads<InboxTables>, { transportId, search }: InboxQuery) {
  let rows = reads.db.selectFrom('inbox_messages').where(reads.isInTime)
  if (transportId !== undefined) rows = rows.where('transport_id', '=', transportId)
  if (search === undefined) return rows
  return rows.where(reads.contains(sql.ref('search_text'), normalizeForSearch(search)))
}

export function findMessage(storage: Storage, id: number): Promise<InboxRow | undefined> {
  const db = storage.tables<InboxTables>()
  return db.selectFrom('inbox_messages').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns the size of a message in bytes; undefined where there is none. */
export async function findSize(storage: Storage, id: number): Promise<number | undefined> {
  const db = storage.tables<InboxTables>()
  const query = db.selectFrom('inbox_messages').select('size_bytes').where('id', '=', id)
  return (await query.executeTakeFirst())?.size_bytes
}

/** Returns whether it was there. */
export async function deleteMessage(storage: Storage, id: number): Promise<boolean> {
  const db = storage.tables<InboxTables>()
  const query = db.deleteFrom('inbox_messages').where('id', '=', id).returning('id')
  return (await query.executeTakeFirst()) !== undefined
}

/** Deletes those that are there now, in small transactions; returns how many. */
export async function deleteAll(storage: Storage): Promise<number> {
  const last = await newestId(storage.tables<InboxTables>())
  if (last === undefined) return 0
  return deleteInParts(storage, async () => ({ isUpTo: last, freeBytes: Number.POSITIVE_INFINITY }))
}

/** What may stay in the inbox. */
export interface InboxLimits {
  /** Of all messages together. */
  bytesMax: number
  /** Those from before are deleted, in milliseconds since the epoch. */
  keepSince: number
}

/** Deletes what is too old, and the oldest of what is too much; the newest message always stays. */
export async function pruneMessages(storage: Storage, limits: InboxLimits): Promise<number> {
  return deleteInParts(storage, async (tx) => {
    const newest = await newestId(tx)
    if (newest === undefined) return undefined
    const isUpTo = newest - 1
    const tooOld = await tx
      .selectFrom('inbox_messages')
      .select((where) => where.fn.max('id').as('id'))
      .where('captured_at', '<', limits.keepSince)
      .executeTakeFirstOrThrow()
    if (tooOld.id !== null)
      return { isUpTo: Math.min(isUpTo, tooOld.id), freeBytes: Number.POSITIVE_INFINITY }
    const total = await tx
      .selectFrom('inbox_messages')
      .select(sql<number | string | null>`sum(size_bytes + ${sql.lit(rowBytes)})`.as('bytes'))
      .executeTakeFirstOrThrow()
    return { isUpTo, freeBytes: Number(total.bytes ?? 0) - limits.bytesMax }
  })
}

/** Which of the oldest messages are to be deleted. */
interface Excess {
  /** The highest id that may be deleted. */
  isUpTo: number
  freeBytes: number
}

type FindExcess = (tx: Kysely<InboxTables>) => Promise<Excess | undefined>

/** Deletes the oldest until nothing is too much; others have the database between two steps. */
async function deleteInParts(storage: Storage, findExcess: FindExcess): Promise<number> {
  let count = 0
  for (;;) {
    const deleted = await storage.transaction(async (tx: Transaction<InboxTables>) => {
      await storage.lock(tx, 'inbox')
      const excess = await findExcess(tx)
      return excess === undefined ? 0 : deleteOldest(tx, excess)
    })
    if (deleted === 0) return count
    count += deleted
  }
}

async function deleteOldest(
  tx: Kysely<InboxTables>,
  { isUpTo, freeBytes }: Excess,
): Promise<number> {
  if (freeBytes <= 0) return 0
  const oldest = await tx
    .selectFrom('inbox_messages')
    .select(['id', 'size_bytes'])
    .where('id', '<=', isUpTo)
    .orderBy('id')
    .limit(rowsPerBatch)
    .execute()
  const ids: number[] = []
  let freed = 0
  for (const { id, size_bytes: sizeBytes } of oldest) {
    if (freed >= Math.min(freeBytes, bytesPerRead)) break
    freed += chargeOf(sizeBytes)
    ids.push(id)
  }
  if (ids.length > 0) await tx.deleteFrom('inbox_messages').where('id', 'in', ids).execute()
  return ids.length
}

async function newestId(db: Kysely<InboxTables>): Promise<number | undefined> {
  const query = db.selectFrom('inbox_messages').select((where) => where.fn.max('id').as('id'))
  return (await query.executeTakeFirstOrThrow()).id ?? undefined
}
