import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import type { Kysely, QueryExecutorProvider, Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import { BoundedMemory } from '../../../kit/bounded-memory.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { MaybePromise } from '../../../kit/maybe-promise.ts'
import { largeBytes } from '../../../kit/pause.ts'
import { keySizeBytes, seal, sealLarge, unseal, unsealLarge } from '../../../kit/sealing.ts'
import type { Storage } from '../storage.ts'
import type { DataKeysTable, KeyringTables } from './table.ts'

/** Opens one sealed text. */
export type Open = (purpose: string, sealed: string) => string

/** Seals text under the data key that is current in the transaction that asked for it. */
export interface Sealer {
  keyId: string
  /** Returns `<key id>.<base64>`. */
  seal(purpose: string, plaintext: string): string
}

/** Encrypted bytes, and the id of the data key that they are encrypted under. */
export interface SealedBytes {
  keyId: string
  sealed: Uint8Array
}

/** The length of a data key's id, which every sealed text begins with. */
export const keyIdLength = 8

const lockName = 'data keys'
const rememberedMax = 2_000
/** Longer than any transaction that may still be sealing under the key. */
const pruneAfterMs = 3_600_000
/** How long the current key is used before it is read again: far less than a retired key is kept. */
const currentForMs = 60_000

class UnknownKeyError extends Error {}

export interface KeyringOptions {
  storage: Storage
  secretKey: string
  clock: Clock
}

/** The keys that secrets in the database are encrypted with, themselves encrypted by the secret key. */
export class Keyring {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #wrapper: Wrapper
  /** To seal with a `KeyObject` takes half as long as with bytes. */
  readonly #keys = new Map<string, KeyObject>()
  /** The key that new bytes are sealed under, and when it was read. */
  #current: { id: string; readAt: number } | undefined
  /** Texts that were opened lately, by purpose. To open one costs more than the rest of a look-up. */
  readonly #opened = new Map<string, BoundedMemory<string, string>>()
  readonly #openAndRemember: Open = (purpose, sealed) => this.#remember(purpose, sealed)
  readonly #openOnly: Open = (purpose, sealed) => this.#open(purpose, sealed)

  constructor({ storage, secretKey, clock }: KeyringOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#wrapper = createWrapper(secretKey)
  }

  /**
   * Reads the data keys, and creates the first one.
   *
   * @throws AppError (`invalid`) where another secret key wrapped them.
   */
  async load(): Promise<void> {
    await this.#locked(async (tx) => (await this.#readKeys(tx)) ?? this.#addKey(tx))
  }

  /** The sealer for one transaction. It reads which key is current, so that it sees a rotation at once. */
  async sealer(tx: QueryExecutorProvider): Promise<Sealer> {
    const db = tx as Kysely<KeyringTables>
    const query = db.selectFrom('data_keys').select('id').where('retired_at', 'is', null)
    const { id } = await query.executeTakeFirstOrThrow()
    if (!this.#keys.has(id)) await this.#readKeys(db)
    const key = this.#getKey(id)
    return {
      keyId: id,
      seal: (purpose, text) => `${id}.${seal(key, purpose, text).toString('base64')}`,
    }
  }

  /**
   * Encrypts bytes, in chunks, under the current key. They are to be stored within the hour, in a table whose key ids `prune` is
   * given.
   */
  async sealBytes(purpose: string, chunks: readonly Uint8Array[]): Promise<SealedBytes> {
    const now = this.#clock.monotonic()
    if (this.#current === undefined || now - this.#current.readAt > currentForMs) {
      const id = (await this.#readKeys(this.#storage.tables())) ?? ''
      this.#current = { id, readAt: now }
    }
    const { id: keyId } = this.#current
    const key = this.#getKey(keyId)
    const sizeBytes = chunks.reduce((sum, { length }) => sum + length, 0)
    const sealed =
      sizeBytes > largeBytes
        ? await sealLarge(key, purpose, chunks)
        : seal(key, purpose, Buffer.concat(chunks))
    return { keyId, sealed }
  }

  /** Decrypts the result of `sealBytes`. Throws when anything was changed. */
  async openBytes(purpose: string, { keyId, sealed }: SealedBytes): Promise<Buffer> {
    if (!this.#keys.has(keyId)) await this.#readKeys(this.#storage.tables())
    const key = this.#getKey(keyId)
    const isLarge = sealed.byteLength > largeBytes
    return isLarge ? unsealLarge(key, purpose, sealed) : unseal(key, purpose, sealed)
  }

  /**
   * Runs `work`, which opens any number of sealed texts. Runs it again where another process has created a new key, so
   * it must have no effect outside. Opened texts are cached unless `isMany`: texts of a long list are not asked for
   * again, and old garbage is collected late.
   */
  opening<T>(work: (open: Open) => T, { isMany = false } = {}): MaybePromise<T> {
    const open = isMany ? this.#openOnly : this.#openAndRemember
    try {
      return work(open)
    } catch (error) {
      if (!(error instanceof UnknownKeyError)) throw error
    }
    return this.#readKeys(this.#storage.tables()).then(() => work(open))
  }

  /** Creates a data key and makes it the current one; returns its id. */
  async rotate(): Promise<string> {
    const id = await this.#locked(async (tx) => {
      await this.#readKeys(tx)
      return this.#addKey(tx)
    })
    this.#current = undefined
    return id
  }

  /** Deletes the data keys that are not in `usedIds` and were retired long enough ago; returns how many. */
  async prune(usedIds: readonly string[]): Promise<number> {
    const db = this.#storage.tables<KeyringTables>()
    const retiredBefore = this.#clock.now() - pruneAfterMs
    const query = db.deleteFrom('data_keys').where('retired_at', '<', retiredBefore)
    const unused = usedIds.length === 0 ? query : query.where('id', 'not in', usedIds)
    return Number((await unused.executeTakeFirst()).numDeletedRows)
  }

  /** Wraps every data key under another secret key. `newSecretKey` is called when no other process can do the same. */
  async rewrap(newSecretKey: () => string): Promise<void> {
    await this.#locked(async (tx) => {
      await this.#readKeys(tx)
      const next = createWrapper(newSecretKey())
      for (const [id, key] of this.#keys) {
        await tx
          .updateTable('data_keys')
          .set(next.wrap(id, key.export()))
          .where('id', '=', id)
          .execute()
      }
    })
  }

  #locked<T>(work: (tx: Transaction<KeyringTables>) => Promise<T>): Promise<T> {
    return this.#storage.transaction(async (tx: Transaction<KeyringTables>) => {
      await this.#storage.lock(tx, lockName)
      return work(tx)
    })
  }

  /**
   * Reads the keys; returns the id of the current one.
   *
   * @throws AppError (`invalid`) where another secret key wrapped one of them, even one that was read before.
   */
  async #readKeys(db: Kysely<KeyringTables>): Promise<string | undefined> {
    const rows = await db.selectFrom('data_keys').selectAll().execute()
    for (const row of rows) this.#keys.set(row.id, createSecretKey(this.#wrapper.unwrap(row)))
    return rows.find((row) => row.retired_at === null)?.id
  }

  async #addKey(tx: Transaction<KeyringTables>): Promise<string> {
    const id = randomBytes(keyIdLength / 2).toString('hex')
    const now = this.#clock.now()
    const retired = tx.updateTable('data_keys').set({ retired_at: now })
    await retired.where('retired_at', 'is', null).execute()
    const wrapped = this.#wrapper.wrap(id, randomBytes(keySizeBytes))
    const row = { ...wrapped, created_at: now, retired_at: null }
    await tx.insertInto('data_keys').values(row).execute()
    return id
  }

  #getKey(id: string): KeyObject {
    const key = this.#keys.get(id)
    if (key === undefined) throw new UnknownKeyError(`The data key ${id} was not found.`)
    return key
  }

  #remember(purpose: string, sealed: string): string {
    const opened = this.#openedFor(purpose)
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const text = this.#open(purpose, sealed)
    opened.set(sealed, text)
    return text
  }

  #open(purpose: string, sealed: string): string {
    const dot = sealed.indexOf('.')
    const key = this.#getKey(sealed.slice(0, dot))
    return unseal(key, purpose, Buffer.from(sealed.slice(dot + 1), 'base64')).toString()
  }

  #openedFor(purpose: string): BoundedMemory<string, string> {
    const known = this.#opened.get(purpose)
    if (known !== undefined) return known
    const opened = new BoundedMemory<string, string>({ sizeMax: rememberedMax })
    this.#opened.set(purpose, opened)
    return opened
  }
}

/** Opens the keyring of a database; see `Keyring.load`. */
export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const keyring = new Keyring(options)
  await keyring.load()
  return keyring
}

/** Whether a database has data keys, so that it needs their secret key. */
export async function hasDataKeys(storage: Storage): Promise<boolean> {
  const query = storage.tables<KeyringTables>().selectFrom('data_keys').select('id').limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

type WrappedKey = Pick<DataKeysTable, 'id' | 'wrapped' | 'secret_key_id'>

/** Encrypts data keys with the secret key. */
interface Wrapper {
  /** A fingerprint of the secret key. */
  secretKeyId: string
  wrap(id: string, key: Buffer): WrappedKey
  /** Throws an AppError (`invalid`) where another secret key wrapped the data key. */
  unwrap(row: WrappedKey): Buffer
}

/** Creates a wrapper from the text of a secret key. The wrapping key is derived by HKDF (RFC 5869). */
function createWrapper(secretKey: string): Wrapper {
  const derive = (use: string, size: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, 'mailyard', use, size))
  const wrappingKey = derive('wrap data keys', keySizeBytes)
  const secretKeyId = derive('identify', 8).toString('hex')
  const purpose = (id: string) => `data key ${id}`
  return {
    secretKeyId,
    wrap: (id, key) => ({
      id,
      wrapped: seal(wrappingKey, purpose(id), key).toString('base64'),
      secret_key_id: secretKeyId,
    }),
    unwrap({ id, wrapped, secret_key_id }) {
      if (secret_key_id !== secretKeyId) throw wrongSecretKey(secret_key_id, secretKeyId)
      return unseal(wrappingKey, purpose(id), Buffer.from(wrapped, 'base64'))
    },
  }
}

function wrongSecretKey(expected: string, current: string): AppError {
  const message =
    `This database was encrypted with another secret key (${expected}, not ${current}). ` +
    'Set MAILYARD_SECRET_KEY to that key, or restore its key file.'
  return new AppError('invalid', 'wrong_secret_key', message)
}
