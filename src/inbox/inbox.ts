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

export interface InboxOptions {
  storage: Storage
  keyring: Keyring
  clock: Clock
  log: Log
  work: Pick<WorkQueue, 'turn'>
  /** The size limit of all messages together; the newest stays, however large it is. */
  bytesMax: number
  keepMs: number
}

/** What the storage throws where it may have kept the message all the same. */
const unknownOutcomes = ['database_answer_lost', 'disk_failed']

/** The captured messages. What is not there throws an AppError (`not_found`). */
export class Inbox {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Log
  readonly #sources: SourceStore
  readonly #reader: MessageReader
  readonly #pruner: Pruner

  constructor({ storage, keyring, clock, log, work, bytesMax, keepMs }: InboxOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#log = log
    this.#sources = new SourceStore({ storage, keyring, work })
    this.#reader = new MessageReader({ storage, sources: this.#sources })
    this.#pruner = new Pruner({ storage, clock, log, bytesMax, keepMs })
  }

  /** Stores a message durably instead of sending it; see `Capture`. */
  async capture(message: Message, through?: SentThrough): ReturnType<Capture> {
    const result = await this.#store(message, through)
    this.#pruner.noteCaptured(message.raw.byteLength)
    return result
  }

  /** The newest first, and how many match in all. `owner` is the key of the caller. */
  async list(
    query: InboxQuery,
    owner: string,
  ): Promise<{ messages: InboxItem[]; total: number; next: number | null }> {
    const reads = this.#storage.lists<InboxTables>(owner)
    const { rows, total, next } = await listMessages(reads, query)
    return { messages: rows.map(presentItem), total, next }
  }

  async get(id: number): Promise<InboxMessage> {
    const { row, content } = await this.#reader.content(id)
    return { ...presentItem(row), ...content }
  }

  /** How many bytes it takes to answer with a message: at once, or piece by piece. */
  memoryOf(id: number, part: 'message' | 'piece'): Promise<number> {
    return this.#reader.memoryOf(id, part)
  }

  /** The source, which is read as it is sent; `owner` is whose turn each piece takes. */
  source(id: number, owner: string): Promise<MessageSource> {
    return this.#reader.source(id, owner)
  }

  /** The HTML with its own images in it. Also throws an AppError (`invalid`) where it cannot be parsed. */
  page(id: number): Promise<string> {
    return this.#reader.page(id)
  }

  /** An attachment by its number, from 1. Throws as `page`. */
  attachment(id: number, number: number): Promise<AttachmentFile> {
    return this.#reader.attachment(id, number)
  }

  async remove(id: number): Promise<void> {
    if (!(await deleteMessage(this.#storage, id))) throw messageNotFound(id)
  }

  /** Deletes all messages that are there now; returns how many. */
  clear(): Promise<number> {
    return deleteAll(this.#storage)
  }

  /** Deletes what is over the limits now; returns how many. */
  prune(): Promise<number> {
    return this.#pruner.prune()
  }

  /** Seals every source under the current data key; returns the ids of the keys that are in use then. */
  reseal(): Promise<string[]> {
    return this.#sources.reseal()
  }

  /** Prunes from now on, once a minute. */
  start(): void {
    this.#pruner.start()
  }

  stop(): Promise<void> {
    return this.#pruner.stop()
  }

  async #store({ envelope, raw }: Message, through: SentThrough | undefined): ReturnType<Capture> {
    try {
      const { subject, messageId } = describeSource(raw)
      const sender = storable(envelope.from)
      const recipients = envelope.to.map(storable)
      const message = {
        captured_at: this.#clock.now(),
        sender,
        recipients: JSON.stringify(recipients),
        subject,
        message_id: messageId,
        transport_id: through?.id ?? null,
        transport: through?.name ?? null,
        size_bytes: raw.byteLength,
        search_text: storable(searchTextOf(sender, ...recipients, subject)),
      }
      return { outcome: 'captured', id: await this.#sources.add(message, raw) }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#log.warn({ err: error }, 'message not captured')
      const outcome = unknownOutcomes.includes(error.code) ? 'uncertain' : 'refused'
      return { outcome, reason: `The inbox cannot store the message: ${error.message}` }
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
  }
}
