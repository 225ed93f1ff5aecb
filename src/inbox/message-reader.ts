import { AppError } from '../kit/app-error.ts'
import { createSemaphore } from '../kit/semaphore.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import type { AttachmentFile } from './content-worker.ts'
import { createContentReader } from './read-source.ts'
import type { InboxContent } from './schema.ts'
import { findMessage, findSize, type ListedRow } from './store.ts'
import type { InboxRow } from './table.ts'

/** What sources are sealed for. */
export const purpose = 'inbox_messages.source'
/** How often a message is in memory for each request: as it is read, and in the answer. */
const copiesInMemory = 2

/** Dependencies of `MessageReader`. */
export interface MessageReaderOptions {
  storage: Storage
  keyring: Keyring
}

/** Opens and parses captured messages, one at a time: a source is in memory several times meanwhile. */
export class MessageReader {
  readonly #storage: Storage
  readonly #keyring: Keyring
  readonly #parser = createContentReader()
  readonly #turn = createSemaphore({ permits: 1 })

  constructor({ storage, keyring }: MessageReaderOptions) {
    this.#storage = storage
    this.#keyring = keyring
  }

  /** See `Inbox.memoryOf`. */
  async memoryOf(id: number): Promise<number> {
    const size = await findSize(this.#storage, id)
    if (size === undefined) throw messageNotFound(id)
    return size * copiesInMemory
  }

  /** Reads the row of a message and what is in it. Throws an AppError (`not_found`). */
  content(id: number): Promise<{ row: ListedRow; content: InboxContent }> {
    return this.#turn.run(async () => {
      const row = await this.#getRow(id)
      return { row, content: await this.#parser.read(await openSource(this.#keyring, row)) }
    })
  }

  /** See `Inbox.source`. */
  source(id: number): Promise<Buffer> {
    return this.#turn.run(() => this.#open(id))
  }

  /** See `Inbox.page`. */
  async page(id: number): Promise<string> {
    const html = await this.#turn.run(async () => this.#parser.readPage(await this.#open(id)))
    if (html === undefined) throw partNotFound(`Captured message ${id} has no HTML`)
    return html
  }

  /** See `Inbox.attachment`. */
  async attachment(id: number, number: number): Promise<AttachmentFile> {
    const file = await this.#turn.run(async () =>
      this.#parser.readAttachment(await this.#open(id), number),
    )
    if (file === undefined) throw partNotFound(`Captured message ${id} has no attachment ${number}`)
    return file
  }

  async #open(id: number): Promise<Buffer> {
    return openSource(this.#keyring, await this.#getRow(id))
  }

  async #getRow(id: number): Promise<InboxRow> {
    const row = await findMessage(this.#storage, id)
    if (row === undefined) throw messageNotFound(id)
    return row
  }
}

/** Decrypts the source of a message. */
export async function openSource(
  keyring: Keyring,
  { source }: Pick<InboxRow, 'source'>,
): Promise<Buffer> {
  const text = await keyring.opening((open) => open(purpose, source), { isMany: true })
  return Buffer.from(text, 'latin1')
}

function partNotFound(message: string): AppError {
  return new AppError('not_found', 'inbox_part_not_found', message)
}

export function messageNotFound(id: number): AppError {
  return new AppError('not_found', 'inbox_message_not_found', `Captured message ${id} not found`)
}
