import { sql, type Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { formatDate } from '../kit/iso-date.ts'
import type { Log } from '../kit/log.ts'
import { searchTextOf } from '../kit/normalize-for-search.ts'
import type { Capture, Message, SentThrough } from '../mailer/index.ts'
import { type Keyring, keyIdLength, type Storage } from '../storage/index.ts'
import type { AttachmentFile } from './content-worker.ts'
import { MessageReader, messageNotFound, openSource, purpose } from './message-reader.ts'
import { createPruner } from './pruner.ts'
import { describeSource, storable } from './read-source.ts'
import { type InboxItem, type InboxMessage, inboxStatus } from './schema.ts'
import {
  deleteAll,
  deleteMessage,
  type InboxQuery,
  insertMessage,
  type ListedRow,
  listMessages,
} from './store.ts'
import type { InboxTables } from './table.ts'

/** The captured messages. */
export interface Inbox {
  /** Stores a message durably instead of sending it; see `Capture`. */
  capture: Capture
  /** The newest first, and how many match in all. `owner` is the key of the caller. */
  list(
    query: InboxQuery,
    owner: string,
  ): Promise<{ messages: InboxItem[]; total: number; next: number | null }>
  /** Throws an AppError (`not_found`), as do `source` and `remove`. */
  get(id: number): Promise<InboxMessage>
  /** How many bytes it takes to read a message and to answer with it. Throws an AppError (`not_found`). */
  memoryOf(id: number): Promise<number>
  /** The message as it was sent, byte for byte. */
  source(id: number): Promise<Buffer>
  /** The HTML with its own images in it. Throws an AppError: `not_found`, `invalid` where it cannot be parsed. */
  page(id: number): Promise<string>
  /** An attachment by its number, from 1. Throws as `page`. */
  attachment(id: number, number: number): Promise<AttachmentFile>
  remove(id: number): Promise<void>
  /** Deletes all messages that are there now; returns how many. */
  clear(): Promise<number>
  /** Deletes what is over the limits now; returns how many. */
  prune(): Promise<number>
  /** Seals every source under the current data key; returns the ids of the keys that are in use then. */
  reseal(): Promise<string[]>
  /** Prunes from now on, once a minute. */
  start(): void
  stop(): Promise<void>
}

export interface InboxOptions {
  storage: Storage
  keyring: Keyring
  clock: Clock
  log: Log
  /** Of all messages together; the newest stays, however large it is. */
  bytesMax: number
  keepMs: number
}

/** What the storage throws where it may have kept the message all the same. */
const unknownOutcomes = ['database_answer_lost', 'disk_failed']

export function openInbox(options: InboxOptions): Inbox {
  const { storage, keyring } = options
  const reader = new MessageReader({ storage, keyring })
  const pruner = createPruner(options)
  return {
    async capture(message, through) {
      const result = await store(options, message, through)
      pruner.noteCaptured(message.raw.byteLength)
      return result
    },
    async list(query, owner) {
      const reads = storage.lists<InboxTables>(owner)
      const { rows, total } = await listMessages(reads, { ...query, limit: query.limit + 1 })
      const page = rows.slice(0, query.limit)
      const next = rows.length > page.length ? (page.at(-1)?.id ?? null) : null
      return { messages: page.map(presentItem), total, next }
    },
    async get(id) {
      const { row, content } = await reader.content(id)
      return { ...presentItem(row), ...content }
    },
    memoryOf: (id) => reader.memoryOf(id),
    source: (id) => reader.source(id),
    page: (id) => reader.page(id),
    attachment: (id, number) => reader.attachment(id, number),
    async remove(id) {
      if (!(await deleteMessage(storage, id))) throw messageNotFound(id)
    },
    clear: () => deleteAll(storage),
    prune: () => pruner.prune(),
    reseal: () => reseal(storage, keyring),
    start: () => pruner.start(),
    stop: () => pruner.stop(),
  }
}

async function store(
  { storage, keyring, clock, log }: InboxOptions,
  { envelope, raw }: Message,
  through: SentThrough | undefined,
): ReturnType<Capture> {
  try {
    const sealer = await keyring.sealer(storage.tables())
    const { subject, messageId } = describeSource(raw)
    const sender = storable(envelope.from)
    const recipients = envelope.to.map(storable)
    const id = await insertMessage(storage, {
      captured_at: clock.now(),
      sender,
      recipients: JSON.stringify(recipients),
      subject,
      message_id: messageId,
      transport_id: through?.id ?? null,
      transport: through?.name ?? null,
      size_bytes: raw.byteLength,
      search_text: storable(searchTextOf(sender, ...recipients, subject)),
      source: sealer.seal(purpose, latin1Of(raw)),
    })
    return { outcome: 'captured', id }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log.warn({ err: error }, 'message not captured')
    const outcome = unknownOutcomes.includes(error.code) ? 'uncertain' : 'refused'
    return { outcome, reason: `The inbox cannot store the message: ${error.message}` }
  }
}

/** A keyring seals text: each byte becomes the character of its number. */
function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
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
  }
}

/** One message in a transaction of its own: each may have 25 MB. */
async function reseal(storage: Storage, keyring: Keyring): Promise<string[]> {
  const db = storage.tables<InboxTables>()
  for (let after: number | undefined = 0; after !== undefined; ) {
    after = await resealNext(storage, keyring, after)
  }
  const keyId = sql<string>`substr(source, 1, ${sql.lit(keyIdLength)})`.as('key_id')
  const used = await db.selectFrom('inbox_messages').select(keyId).distinct().execute()
  return used.map((row) => row.key_id)
}

/** Returns the id of the message that it looked at; undefined at the end. */
async function resealNext(
  storage: Storage,
  keyring: Keyring,
  after: number,
): Promise<number | undefined> {
  const db = storage.tables<InboxTables>()
  const sealer = await keyring.sealer(db)
  const row = await db
    .selectFrom('inbox_messages')
    .select(['id', 'source'])
    .where('id', '>', after)
    .where(sql<boolean>`substr(source, 1, ${sql.lit(keyIdLength)}) <> ${sealer.keyId}`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const bytes = await openSource(keyring, row)
  const source = sealer.seal(purpose, latin1Of(bytes))
  await storage.transaction(async (tx: Transaction<InboxTables>) => {
    const query = tx.updateTable('inbox_messages').set({ source }).where('id', '=', row.id)
    await query.where('source', '=', row.source).execute()
  })
  return row.id
}
