import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { formatDate } from '../kit/iso-date.ts'
import type { Log } from '../kit/log.ts'
import { searchTextOf } from '../kit/normalize-for-search.ts'
import type { WorkQueue } from '../kit/work-queue.ts'
import type { Capture, Message, SentThrough } from '../mailer/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import type { AttachmentFile } from './content-worker.ts'
import { MessageReader, type MessageSource } from './message-reader.ts'
import { Pruner } from './pruner.ts'
import { describeSource, storable } from './read-source.ts'
import { type InboxItem, type InboxMessage, inboxStatus } from './schema.ts'
import { messageNotFound, SourceStore } from './source-store.ts'
import { deleteAll, deleteMessage, type InboxQuery, type ListedRow, listMessages } from './store.ts'
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
  /** How many bytes it takes to answer with a message: at once, or piece by piece. Throws an AppError (`not_found`). */
  memoryOf(id: number, part: 'message' | 'piece'): Promise<number>
  /** The source, which is read as it is sent; `owner` is whose turn each piece takes. Throws an AppError (`not_found`). */
  source(id: number, owner: string): Promise<MessageSource>
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
  work: Pick<WorkQueue, 'turn'>
  /** Of all messages together; the newest stays, however large it is. */
  bytesMax: number
  keepMs: number
}

/** What the storage throws where it may have kept the message all the same. */
const unknownOutcomes = ['database_answer_lost', 'disk_failed']

export function openInbox(options: InboxOptions): Inbox {
  const { storage, keyring, work } = options
  const sources = new SourceStore({ storage, keyring, work })
  const reader = new MessageReader({ storage, sources })
  const pruner = new Pruner(options)
  return {
    async capture(message, through) {
      const result = await store(
        { sources, clock: options.clock, log: options.log },
        message,
        through,
      )
      pruner.noteCaptured(message.raw.byteLength)
      return result
    },
    async list(query, owner) {
      const reads = storage.lists<InboxTables>(owner)
      const { rows, total, next } = await listMessages(reads, query)
      return { messages: rows.map(presentItem), total, next }
    },
    async get(id) {
      const { row, content } = await reader.content(id)
      return { ...presentItem(row), ...content }
    },
    memoryOf: (id, part) => reader.memoryOf(id, part),
    source: (id, owner) => reader.source(id, owner),
    page: (id) => reader.page(id),
    attachment: (id, number) => reader.attachment(id, number),
    async remove(id) {
      if (!(await deleteMessage(storage, id))) throw messageNotFound(id)
    },
    clear: () => deleteAll(storage),
    prune: () => pruner.prune(),
    reseal: () => sources.reseal(),
    start: () => pruner.start(),
    stop: () => pruner.stop(),
  }
}

interface Capturing {
  sources: SourceStore
  clock: Clock
  log: Log
}

async function store(
  { sources, clock, log }: Capturing,
  { envelope, raw }: Message,
  through: SentThrough | undefined,
): ReturnType<Capture> {
  try {
    const { subject, messageId } = describeSource(raw)
    const sender = storable(envelope.from)
    const recipients = envelope.to.map(storable)
    const message = {
      captured_at: clock.now(),
      sender,
      recipients: JSON.stringify(recipients),
      subject,
      message_id: messageId,
      transport_id: through?.id ?? null,
      transport: through?.name ?? null,
      size_bytes: raw.byteLength,
      search_text: storable(searchTextOf(sender, ...recipients, subject)),
    }
    return { outcome: 'captured', id: await sources.add(message, raw) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log.warn({ err: error }, 'message not captured')
    const outcome = unknownOutcomes.includes(error.code) ? 'uncertain' : 'refused'
    return { outcome, reason: `The inbox cannot store the message: ${error.message}` }
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
  }
}
