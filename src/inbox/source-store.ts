import { type Kysely, sql } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import { largeBytes as pieceBytes } from '../kit/pause.ts'
import type { WorkQueue } from '../kit/work-queue.ts'
import { type Keyring, keyIdLength, type Sealer, type Storage } from '../storage/index.ts'
import { completeMessage, deleteIncomplete, insertMessage, insertPiece } from './store.ts'
import type { InboxPieceRow, InboxRow, InboxTables } from './table.ts'

/** What pieces are sealed for. */
const purpose = 'inbox_messages.source'

/** Dependencies of `SourceStore`. */
export interface SourceStoreOptions {
  storage: Storage
  keyring: Keyring
  work: Pick<WorkQueue, 'turn'>
}

/** A message that is to be stored: what the list shows of it. */
export type NewMessage = Omit<InboxRow, 'id' | 'is_complete'>

/**
 * The sources of the captured messages, in sealed pieces of a megabyte. Others have their turn between two pieces, so that a large
 * message holds up neither requests nor other changes.
 */
export class SourceStore {
  readonly #storage: Storage
  readonly #keyring: Keyring
  readonly #work: Pick<WorkQueue, 'turn'>

  constructor({ storage, keyring, work }: SourceStoreOptions) {
    this.#storage = storage
    this.#keyring = keyring
    this.#work = work
  }

  /** Stores a message, which is visible once it is complete and on disk; returns its id. */
  async add(message: NewMessage, source: Uint8Array): Promise<number> {
    const sealer = await this.#keyring.sealer(this.#storage.tables())
    const row = { ...message, is_complete: source.byteLength <= pieceBytes }
    const first = sealPiece(sealer, source.subarray(0, pieceBytes))
    const id = await insertMessage(this.#storage, row, first)
    if (row.is_complete) return id
    try {
      await this.#addOthers(id, source, sealer)
    } catch (error) {
      // What stays is deleted by the pruner.
      await deleteIncomplete(this.#storage, id).catch(() => undefined)
      throw error
    }
    return id
  }

  /**
   * Reads a source piece by piece.
   *
   * @param owner Whose turn each piece takes. Default: that of the job that reads it.
   * @throws AppError (`not_found`) where the message is deleted meanwhile.
   */
  async *read(id: number, sizeBytes: number, owner?: string): AsyncGenerator<Buffer, void> {
    let read = 0
    for (let number = 0; read < sizeBytes; number += 1) {
      await this.#work.turn(owner)
      const piece = await this.#find(id, number)
      if (piece === undefined) throw messageNotFound(id)
      const bytes = await this.#open(piece)
      read += bytes.byteLength
      yield bytes
    }
  }

  /** Seals every piece under the current data key; returns the ids of the keys that are in use then. */
  async reseal(): Promise<string[]> {
    let last: PieceKey | undefined = { message_id: 0, number: 0 }
    while (last !== undefined) last = await this.#resealNext(last)
    const keyId = keyIdOfPiece.as('key_id')
    const used = await this.#pieces.selectFrom('inbox_pieces').select(keyId).distinct().execute()
    return used.map((row) => row.key_id)
  }

  get #pieces(): Kysely<InboxTables> {
    return this.#storage.tables<InboxTables>()
  }

  async #addOthers(id: number, source: Uint8Array, sealer: Sealer): Promise<void> {
    for (let at = pieceBytes; at < source.byteLength; at += pieceBytes) {
      await this.#work.turn()
      const sealed = sealPiece(sealer, source.subarray(at, at + pieceBytes))
      await insertPiece(this.#storage, { message_id: id, number: at / pieceBytes, sealed })
    }
    await completeMessage(this.#storage, id)
  }

  #find(id: number, number: number): Promise<InboxPieceRow | undefined> {
    const query = this.#pieces.selectFrom('inbox_pieces').selectAll()
    return query.where('message_id', '=', id).where('number', '=', number).executeTakeFirst()
  }

  async #open({ sealed }: InboxPieceRow): Promise<Buffer> {
    const text = await this.#keyring.opening((open) => open(purpose, sealed), { isMany: true })
    return Buffer.from(text, 'latin1')
  }

  /** Seals the first piece from `from` on that is under another key; returns where it is, undefined at the end. */
  async #resealNext(from: PieceKey): Promise<PieceKey | undefined> {
    await this.#work.turn()
    const sealer = await this.#keyring.sealer(this.#pieces)
    const piece = await this.#pieces
      .selectFrom('inbox_pieces')
      .selectAll()
      .where((where) =>
        where(
          where.refTuple('message_id', 'number'),
          '>=',
          where.tuple(from.message_id, from.number),
        ),
      )
      .where(keyIdOfPiece, '<>', sealer.keyId)
      .orderBy('message_id')
      .orderBy('number')
      .limit(1)
      .executeTakeFirst()
    if (piece === undefined) return undefined
    const sealed = sealPiece(sealer, await this.#open(piece))
    const update = this.#pieces.updateTable('inbox_pieces').set({ sealed })
    await update
      .where('message_id', '=', piece.message_id)
      .where('number', '=', piece.number)
      .execute()
    return { message_id: piece.message_id, number: piece.number + 1 }
  }
}

type PieceKey = Pick<InboxPieceRow, 'message_id' | 'number'>

const keyIdOfPiece = sql<string>`substr(sealed, 1, ${sql.lit(keyIdLength)})`

/** A keyring seals text: each byte becomes the character of its number. */
function sealPiece(sealer: Sealer, { buffer, byteOffset, byteLength }: Uint8Array): string {
  return sealer.seal(purpose, Buffer.from(buffer, byteOffset, byteLength).toString('latin1'))
}

export function messageNotFound(id: number): AppError {
  return new AppError('not_found', 'inbox_message_not_found', `Captured message ${id} not found`)
}
