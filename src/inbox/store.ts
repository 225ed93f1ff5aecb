import { type Kysely, sql, type Transaction } from 'kysely'
import { normalizeForSearch } from '../kit/normalize-for-search.ts'
import { cutPage, type ListReads, type Storage } from '../storage/index.ts'
import type { InboxPieceRow, InboxRow, InboxTables } from './table.ts'

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

/** What a list shows of a message. */
export type ListedRow = Pick<InboxRow, (typeof listed)[number]>

/** Which messages a list has: all that is given must hold. */
export interface InboxQuery {
  /** Only those older than this one. */
  after: number | undefined
  start: number
  limit: number
  transportId: number | undefined
  /** Part of sender, recipients or subject. */
  search: string | undefined
}

/** The bytes that a message counts for. */
export const chargeOf = (sizeBytes: number) => sizeBytes + rowBytes

/** Stores a message with the first piece of its source; returns its id. */
export async function insertMessage(
  storage: Storage,
  row: Omit<InboxRow, 'id'>,
  firstPiece: string,
): Promise<number> {
  return storage.transaction(
    async (tx: Transaction<InboxTables>) => {
      const query = tx.insertInto('inbox_messages').values(row).returning('id')
      const { id } = await query.executeTakeFirstOrThrow()
      const piece = { message_id: id, number: 0, sealed: firstPiece }
      await tx.insertInto('inbox_pieces').values(piece).execute()
      return id
    },
    { isFlushDeferred: !row.is_complete },
  )
}

/** Stores one more piece of an incomplete message. It is on disk once the message is completed. */
export async function insertPiece(storage: Storage, piece: InboxPieceRow): Promise<void> {
  await storage.transaction(
    async (tx: Transaction<InboxTables>) => {
      await tx.insertInto('inbox_pieces').values(piece).execute()
    },
    { isFlushDeferred: true },
  )
}

/** Makes a message visible whose pieces are all stored. */
export async function completeMessage(storage: Storage, id: number): Promise<void> {
  const db = storage.tables<InboxTables>()
  await db
    .updateTable('inbox_messages')
    .set({ is_complete: true })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirstOrThrow()
}

/** Deletes a message unless it is complete. */
export async function deleteIncomplete(storage: Storage, id: number): Promise<void> {
  const db = storage.tables<InboxTables>()
  const query = db.deleteFrom('inbox_messages').where('id', '=', id)
  await query.where('is_complete', '=', false).execute()
}

/** The newest first. */
export async function listMessages(
  reads: ListReads<InboxTables>,
  query: InboxQuery,
): Promise<{ rows: ListedRow[]; total: number; next: number | null }> {
  const { after, start, limit } = query
  const matching = matches(reads, query)
  const { total } = await matching
    .select((where) => where.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()
  const page = after === undefined ? matching : matching.where('id', '<', after)
  const newest = page.select(listed).orderBy('id', 'desc').offset(start)
  const { rows, last } = cutPage(await newest.limit(limit + 1).execute(), limit)
  return { rows, total: Number(total), next: last?.id ?? null }
}

function matches(reads: ListReads<InboxTables>, { transportId, search }: InboxQuery) {
  let rows = reads.db
    .selectFrom('inbox_messages')
    .where('is_complete', '=', true)
    .where(reads.isInTime)
  if (transportId !== undefined) rows = rows.where('transport_id', '=', transportId)
  if (search === undefined) return rows
  return rows.where(reads.contains(sql.ref('search_text'), normalizeForSearch(search)))
}

export function findMessage(storage: Storage, id: number): Promise<ListedRow | undefined> {
  const db = storage.tables<InboxTables>()
  const query = db.selectFrom('inbox_messages').select(listed).where('id', '=', id)
  return query.where('is_complete', '=', true).executeTakeFirst()
}

/** The size of a message in bytes, and in how many pieces its source is; undefined where there is none. */
export async function findSize(
  storage: Storage,
  id: number,
): Promise<{ sizeBytes: number; pieces: number } | undefined> {
  const row = await storage
    .tables<InboxTables>()
    .selectFrom('inbox_messages')
    .innerJoin('inbox_pieces', 'inbox_pieces.message_id', 'inbox_messages.id')
    .select((where) => ['size_bytes', where.fn.countAll<number | string>().as('pieces')])
    .where('id', '=', id)
    .where('is_complete', '=', true)
    .groupBy(['id', 'size_bytes'])
    .executeTakeFirst()
  return row && { sizeBytes: row.size_bytes, pieces: Number(row.pieces) }
}

/** Returns whether it was there. */
export async function deleteMessage(storage: Storage, id: number): Promise<boolean> {
  const db = storage.tables<InboxTables>()
  const query = db.deleteFrom('inbox_messages').where('id', '=', id)
  const deleted = await query.where('is_complete', '=', true).returning('id').executeTakeFirst()
  return deleted !== undefined
}

/** Deletes those that are there now, in small transactions; returns how many. */
export async function deleteAll(storage: Storage): Promise<number> {
  const last = await newestId(storage.tables<InboxTables>())
  if (last === undefined) return 0
  return deleteInParts(storage, async () => ({ isUpTo: last, freeBytes: Number.POSITIVE_INFINITY }))
}

/** What may stay in the inbox. */
export interface InboxLimits {
  /** The size limit of all messages together. */
  bytesMax: number
  /** Those from before are deleted, in milliseconds since the epoch. */
  keepSince: number
  /** Those from before that are incomplete were left by a process that ended, in milliseconds since the epoch. */
  abandonedSince: number
}

/** Deletes what is too old, and the oldest of what is too much; the newest message always stays. */
export async function pruneMessages(storage: Storage, limits: InboxLimits): Promise<number> {
  const db = storage.tables<InboxTables>()
  const abandoned = db.deleteFrom('inbox_messages').where('is_complete', '=', false)
  await abandoned.where('captured_at', '<', limits.abandonedSince).execute()
  return deleteInParts(storage, async (tx) => {
    const newest = await newestId(tx)
    if (newest === undefined) return undefined
    const isUpTo = newest - 1
    const tooOld = await tx
      .selectFrom('inbox_messages')
      .select((where) => where.fn.max('id').as('id'))
      .where('captured_at', '<', limits.keepSince)
      .where('is_complete', '=', true)
      .executeTakeFirstOrThrow()
    if (tooOld.id !== null)
      return { isUpTo: Math.min(isUpTo, tooOld.id), freeBytes: Number.POSITIVE_INFINITY }
    const total = await tx
      .selectFrom('inbox_messages')
      .select(sql<number | string | null>`sum(size_bytes + ${sql.lit(rowBytes)})`.as('bytes'))
      .where('is_complete', '=', true)
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
    .where('is_complete', '=', true)
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
  const newest = await query.where('is_complete', '=', true).executeTakeFirstOrThrow()
  return newest.id ?? undefined
}
