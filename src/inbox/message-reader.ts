import { AppError } from '../kit/app-error.ts'
import { Semaphore } from '../kit/semaphore.ts'
import type { Storage } from '../storage/index.ts'
import type { AttachmentFile } from './content-worker.ts'
import { createContentReader } from './read-source.ts'
import type { InboxContent } from './schema.ts'
import { messageNotFound, type SourceStore } from './source-store.ts'
import { findMessage, findSize, type ListedRow } from './store.ts'

/** How often a message, or a piece of it, is in memory for each request: as it is read, and in the answer. */
const copiesInMemory = 2

/** Dependencies of `MessageReader`. */
export interface MessageReaderOptions {
  storage: Storage
  sources: SourceStore
}

/** Reads captured messages. It parses one at a time: a source is in memory several times meanwhile. */
export class MessageReader {
  readonly #storage: Storage
  readonly #sources: SourceStore
  readonly #parser = createContentReader()
  readonly #turn = new Semaphore({ permits: 1 })

  constructor({ storage, sources }: MessageReaderOptions) {
    this.#storage = storage
    this.#sources = sources
  }

  /** See `Inbox.memoryOf`. */
  async memoryOf(id: number, part: 'message' | 'piece'): Promise<number> {
    const size = await findSize(this.#storage, id)
    if (size === undefined) throw messageNotFound(id)
    const { sizeBytes, pieces } = size
    return copiesInMemory * (part === 'piece' ? Math.ceil(sizeBytes / pieces) : sizeBytes)
  }

  /** Reads the row of a message and what is in it. Throws an AppError (`not_found`). */
  content(id: number): Promise<{ row: ListedRow; content: InboxContent }> {
    return this.#turn.run(async () => {
      const row = await this.#getRow(id)
      return { row, content: await this.#parser.read(await this.#open(row)) }
    })
  }

  /** See `Inbox.source`. */
  async source(id: number, owner: string): Promise<MessageSource> {
    const { size_bytes: sizeBytes } = await this.#getRow(id)
    return { sizeBytes, pieces: this.#sources.read(id, sizeBytes, owner) }
  }

  /** See `Inbox.page`. */
  async page(id: number): Promise<string> {
    const html = await this.#turn.run(async () =>
      this.#parser.readPage(await this.#open(await this.#getRow(id))),
    )
    if (html === undefined) throw partNotFound(`Captured message ${id} has no HTML`)
    return html
  }

  /** See `Inbox.attachment`. */
  async attachment(id: number, number: number): Promise<AttachmentFile> {
    const file = await this.#turn.run(async () =>
      this.#parser.readAttachment(await this.#open(await this.#getRow(id)), number),
    )
    if (file === undefined) throw partNotFound(`Captured message ${id} has no attachment ${number}`)
    return file
  }

  /** The whole source, in a buffer of its own, which may be handed to another thread. */
  async #open({ id, size_bytes: sizeBytes }: ListedRow): Promise<Uint8Array<ArrayBuffer>> {
    const source = new Uint8Array(sizeBytes)
    let at = 0
    for await (const piece of this.#sources.read(id, sizeBytes)) {
      source.set(piece, at)
      at += piece.byteLength
    }
    return source
  }

  async #getRow(id: number): Promise<ListedRow> {
    const row = await findMessage(this.#storage, id)
    if (row === undefined) throw messageNotFound(id)
    return row
  }
}

/** A message as it was sent, byte for byte. */
export interface MessageSource {
  sizeBytes: number
  pieces: AsyncIterable<Buffer>
}

function partNotFound(message: string): AppError {
  return new AppError('not_found', 'inbox_part_not_found', message)
}
