import { type Kysely, sql } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, noBrand } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { formatDate } from '../../kit/iso-date.ts'
import type { Log } from '../../kit/log.ts'
import { Periodic } from '../../kit/periodic.ts'
import { Semaphore } from '../../kit/semaphore.ts'
import type { Capture, Message, SentThrough } from '../../libraries/mailer/index.ts'
import { ownedBy } from '../../platform/resource/index.ts'
import { cutPage, type Keyring, type Storage } from '../../platform/storage/index.ts'
import { describeSource, readContent, readPage, storable } from './read-message.ts'
import { type InboxItem, type InboxMessage, inboxStatus } from './schema.ts'
import type { InboxRow, InboxTables } from './table.ts'

export interface InboxOptions {
  storage: Storage
  keyring: Pick<Keyring, 'sealBytes' | 'openBytes'>
  clock: Clock
  log: Log
  /** The size limit of all messages together; the newest stays, however large it is. */
  bytesMax: number
  keepMs: number
}

/** What the sources are encrypted for. */
const purpose = 'inbox_messages.source'
const pruneEachMs = 60_000
/** The inbox is pruned once this part of its limit was captured, so it exceeds the limit by that much. */
const pruneShare = 1 / 20
/** What one stored message counts for besides its bytes: the row, and its indexes. */
const rowBytes = 1_024
/** To delete more in one statement would hold up others. */
const deletedAtOnce = 50
/** How often a message is in memory for each request: encrypted, as it is parsed, and in the answer. */
const copiesInMemory = 3
/** What the storage throws where it may have kept the message all the same. */
const unknownOutcomes = ['database_answer_lost', 'disk_failed']

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
  'brand_id',
] as const

/** What a list shows of a message. */
type ListedRow = Pick<InboxRow, (typeof listed)[number]>

/** Which messages a list has: all that is given must hold. */
export interface InboxQuery {
  /** Only those older than this one. */
  after: number | undefined
  start: number
  limit: number
  transportId: number | undefined
  brand: number | undefined
}

/** Whose messages exist. */
type Owner = Pick<Caller, 'brands'>
const everyBrand: Owner = { brands: 'all' }

/** The captured messages. What is not there, or not the caller's own, throws an AppError (`not_found`). */
export class Inbox {
  readonly #options: InboxOptions
  readonly pruning: Periodic<number>
  /** One message is parsed at a time: it is in memory several times meanwhile. */
  readonly #parsing = new Semaphore({ permits: 1 })
  /** What was captured since the inbox was pruned. */
  #capturedBytes = 0

  constructor(options: InboxOptions) {
    this.#options = options
    this.pruning = new Periodic({
      task: () => this.prune(),
      intervalMs: pruneEachMs,
      log: options.log,
      events: { failed: 'inbox not pruned', recovered: 'inbox pruned again' },
    })
  }

  /** Stores a message durably instead of sending it; see `Capture`. */
  readonly capture: Capture = async (message, through, brand = noBrand) => {
    const { log, bytesMax } = this.#options
    try {
      const id = await this.#store(message, through, brand)
      this.#capturedBytes += message.raw.byteLength + rowBytes
      if (this.#capturedBytes > bytesMax * pruneShare) this.pruning.trigger()
      return { outcome: 'captured', id }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.warn({ err: error }, 'message not captured')
      const outcome = unknownOutcomes.includes(error.code) ? 'uncertain' : 'refused'
      return { outcome, reason: `The inbox cannot store the message: ${error.message}` }
    }
  }

  /** The newest first, and how many match in all. */
  async list({ after, start, limit, transportId, brand }: InboxQuery, caller: Owner) {
    let matching = this.#db.selectFrom('inbox_messages').where(ownedBy(caller))
    if (transportId !== undefined) matching = matching.where('transport_id', '=', transportId)
    if (brand !== undefined) matching = matching.where('brand_id', '=', brand)
    const { total } = await matching
      .select((where) => where.fn.countAll<number | string>().as('total'))
      .executeTakeFirstOrThrow()
    const page = after === undefined ? matching : matching.where('id', '<', after)
    const newest = page.select(listed).orderBy('id', 'desc').offset(start)
    const { rows, last } = cutPage(await newest.limit(limit + 1).execute(), limit)
    return { messages: rows.map(presentItem), total: Number(total), next: last?.id ?? null }
  }

  async get(id: number, caller: Owner): Promise<InboxMessage> {
    const row = await this.#of(id, caller)
      .select(listed)
      .executeTakeFirstOrThrow(() => messageNotFound(id))
    const content = await this.#parsing.run(async () => readContent(await this.source(id, caller)))
    return { ...presentItem(row), ...content }
  }

  /** The HTML with its own images in it. Also throws an AppError (`invalid`) where it cannot be parsed. */
  async page(id: number, caller: Owner): Promise<string> {
    const html = await this.#parsing.run(async () => readPage(await this.source(id, caller)))
    if (html !== undefined) return html
    throw new AppError('not_found', 'inbox_part_not_found', `Captured message ${id} has no HTML`)
  }

  /** The message as it was captured, byte for byte. */
  async source(id: number, caller: Owner): Promise<Buffer> {
    const query = this.#of(id, caller).select(['key_id', 'source'])
    const row = await query.executeTakeFirstOrThrow(() => messageNotFound(id))
    return this.#options.keyring.openBytes(purpose, { keyId: row.key_id, sealed: row.source })
  }

  /** How many bytes it takes to answer with a message. */
  async memoryOf(id: number, caller: Owner): Promise<number> {
    const query = this.#of(id, caller).select('size_bytes')
    const row = await query.executeTakeFirstOrThrow(() => messageNotFound(id))
    return copiesInMemory * row.size_bytes
  }

  async remove(id: number, caller: Owner): Promise<void> {
    const own = this.#db.deleteFrom('inbox_messages').where('id', '=', id).where(ownedBy(caller))
    const query = own.returning('id')
    if ((await query.executeTakeFirst()) === undefined) throw messageNotFound(id)
  }

  /** Deletes all messages of a caller that are there now; returns how many. */
  async clear(caller: Owner): Promise<number> {
    const newest = this.#db.selectFrom('inbox_messages').select('id').orderBy('id', 'desc').limit(1)
    return this.#removeUpTo((await newest.executeTakeFirst())?.id ?? 0, caller)
  }

  /** Deletes what is too old, and the oldest of what is too much; the newest message always stays. Returns how many. */
  async prune(): Promise<number> {
    const { clock, bytesMax, keepMs } = this.#options
    this.#capturedBytes = 0
    const { rows } = await sql<{ id: number | null }>`
      select max(id) as id from (
        select id, captured_at, sum(size_bytes + ${sql.lit(rowBytes)}) over (order by id desc) as bytes
        from inbox_messages) m
      where id < (select max(id) from inbox_messages)
        and (captured_at < ${clock.now() - keepMs} or bytes > ${bytesMax})`.execute(this.#db)
    return this.#removeUpTo(rows[0]?.id ?? 0, everyBrand)
  }

  /** Whether it still has a message. */
  async has(id: number): Promise<boolean> {
    const query = this.#db.selectFrom('inbox_messages').select('id').where('id', '=', id)
    return (await query.executeTakeFirst()) !== undefined
  }

  /** Encrypts every source under the current data key; returns the ids of the keys that are in use then. */
  async reseal(): Promise<string[]> {
    const { keyring } = this.#options
    const db = this.#db
    for (let last = 0; ; ) {
      const next = db.selectFrom('inbox_messages').select('id').where('id', '>', last).orderBy('id')
      const row = await next.limit(1).executeTakeFirst()
      if (row === undefined) break
      last = row.id
      const { keyId, sealed } = await keyring.sealBytes(purpose, [
        await this.source(last, everyBrand),
      ])
      const update = db.updateTable('inbox_messages').set({ key_id: keyId, source: sealed })
      await update.where('id', '=', last).execute()
    }
    const used = await db.selectFrom('inbox_messages').select('key_id').distinct().execute()
    return used.map((row) => row.key_id)
  }

  get #db(): Kysely<InboxTables> {
    return this.#options.storage.tables<InboxTables>()
  }

  #of(id: number, caller: Owner) {
    return this.#db.selectFrom('inbox_messages').where('id', '=', id).where(ownedBy(caller))
  }

  async #store({ envelope, raw }: Message, through: SentThrough | undefined, brand: number) {
    const { keyring, clock } = this.#options
    const { subject, messageId } = describeSource(raw)
    const { keyId, sealed } = await keyring.sealBytes(purpose, [raw])
    const row = {
      captured_at: clock.now(),
      sender: storable(envelope.from),
      recipients: JSON.stringify(envelope.to.map(storable)),
      subject,
      message_id: messageId,
      brand_id: brand,
      transport_id: through?.id ?? null,
      transport: through?.name ?? null,
      size_bytes: raw.byteLength,
      key_id: keyId,
      source: sealed,
    }
    return this.#options.storage.transaction(async (tx: Kysely<InboxTables>) => {
      const insert = tx.insertInto('inbox_messages').values(row).returning('id')
      return (await insert.executeTakeFirstOrThrow()).id
    })
  }

  /** Deletes the messages up to an id, the oldest first; others have the database between two steps. */
  async #removeUpTo(id: number, caller: Owner): Promise<number> {
    for (let count = 0; ; ) {
      const own = this.#db.selectFrom('inbox_messages').select('id').where(ownedBy(caller))
      const removed = await this.#db
        .deleteFrom('inbox_messages')
        .where('id', 'in', own.where('id', '<=', id).orderBy('id').limit(deletedAtOnce))
        .returning('id')
        .execute()
      count += removed.length
      if (removed.length < deletedAtOnce) return count
    }
  }
}

function presentItem(row: ListedRow): InboxItem {
  return {
    id: row.id,
    date: formatDate(row.captured_at),
    status: inboxStatus,
    transportId: row.transport_id,
    transport: row.transport,
    sender: row.sender,
    recipients: JSON.parse(row.recipients) as string[],
    subject: row.subject,
    messageId: row.message_id,
    sizeBytes: row.size_bytes,
    ...(row.brand_id !== noBrand && { brand: row.brand_id }),
  }
}

function messageNotFound(id: number): AppError {
  return new AppError('not_found', 'inbox_message_not_found', `Captured message ${id} not found`)
}
