import { randomBytes } from 'node:crypto'
import type { Kysely, QueryExecutorProvider, Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Eventual } from '../../kit/eventual.ts'
import { keySizeBytes, seal, unseal } from '../../kit/sealing.ts'
import type { Storage } from '../storage.ts'
import type { KeyringTables } from './table.ts'
import { createWrapper, type Wrapper } from './wrapper.ts'

/** Opens one sealed text. */
export type Open = (purpose: string, sealed: string) => string

/** Seals text under the data key that is current in the transaction that asked for it. */
export interface Sealer {
  keyId: string
  /** Returns `<key id>.<base64>`. */
  seal(purpose: string, plaintext: string): string
}

/** Of a data key's id, which every sealed text begins with. */
export const keyIdLength = 8

const lockName = 'data keys'
const rememberedMax = 2_000
/** Longer than any transaction that may still be sealing under the key. */
const pruneAfterMs = 3_600_000

class UnknownKeyError extends Error {}

/** What a keyring needs to be opened. */
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
  readonly #keys = new Map<string, Buffer>()
  /** What was opened lately, by purpose: to open costs more than the rest of a look-up does. */
  readonly #opened = new Map<string, Map<string, string>>()
  readonly #openAndRemember: Open = (purpose, sealed) => this.#remember(purpose, sealed)
  readonly #openOnly: Open = (purpose, sealed) => this.#open(purpose, sealed)

  constructor({ storage, secretKey, clock }: KeyringOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#wrapper = createWrapper(secretKey)
  }

  /**
   * Reads the data keys, and makes the first one. Throws an AppError (`invalid`) where the secret key
   * is not the one that they are wrapped with.
   */
  async load(): Promise<void> {
    await this.#locked(async (tx) => (await this.#readKeys(tx)) ?? this.#addKey(tx))
  }

  /** The sealer for one writing transaction: it reads which key is current, so a rotation is seen at once. */
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
   * Runs `work`, which opens sealed texts as often as it likes; runs it again where another process has
   * made a new key meanwhile, so it must have no effect outside. What is opened is remembered, unless the
   * work is to open more than is asked for again: remembered for nothing, it is garbage that has grown old.
   */
  opening<T>(work: (open: Open) => T, { isMany = false } = {}): Eventual<T> {
    const open = isMany ? this.#openOnly : this.#openAndRemember
    try {
      return work(open)
    } catch (error) {
      if (!(error instanceof UnknownKeyError)) throw error
    }
    return this.#readKeys(this.#storage.tables()).then(() => work(open))
  }

  /** Makes a new data key the current one; returns its id. */
  rotate(): Promise<string> {
    return this.#locked(async (tx) => {
      await this.#readKeys(tx)
      return this.#addKey(tx)
    })
  }

  /** Forgets the data keys that are not in `usedIds` and were retired long enough ago; returns how many. */
  async prune(usedIds: readonly string[]): Promise<number> {
    const db = this.#storage.tables<KeyringTables>()
    const retiredBefore = this.#clock.now() - pruneAfterMs
    const query = db.deleteFrom('data_keys').where('retired_at', '<', retiredBefore)
    const unused = usedIds.length === 0 ? query : query.where('id', 'not in', usedIds)
    return Number((await unused.executeTakeFirst()).numDeletedRows)
  }

  /** Wraps every data key anew, under another secret key, which is asked for when nobody else can be about to do so. */
  async rewrap(newSecretKey: () => string): Promise<void> {
    await this.#locked(async (tx) => {
      await this.#readKeys(tx)
      const next = createWrapper(newSecretKey())
      for (const [id, key] of this.#keys) {
        await tx.updateTable('data_keys').set(next.wrap(id, key)).where('id', '=', id).execute()
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
   * Learns the keys; returns the id of the current one. Throws an AppError (`invalid`) where any is wrapped under another
   * secret key, also one that is known from before.
   */
  async #readKeys(db: Kysely<KeyringTables>): Promise<string | undefined> {
    const rows = await db.selectFrom('data_keys').selectAll().execute()
    for (const row of rows) this.#keys.set(row.id, this.#wrapper.unwrap(row))
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

  #getKey(id: string): Buffer {
    const key = this.#keys.get(id)
    if (key === undefined) throw new UnknownKeyError(`The data key ${id} is not there.`)
    return key
  }

  #remember(purpose: string, sealed: string): string {
    const opened = this.#openedFor(purpose)
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const text = this.#open(purpose, sealed)
    if (opened.size >= rememberedMax) opened.clear()
    opened.set(sealed, text)
    return text
  }

  #open(purpose: string, sealed: string): string {
    const dot = sealed.indexOf('.')
    const key = this.#getKey(sealed.slice(0, dot))
    return unseal(key, purpose, Buffer.from(sealed.slice(dot + 1), 'base64')).toString()
  }

  #openedFor(purpose: string): Map<string, string> {
    const known = this.#opened.get(purpose)
    if (known !== undefined) return known
    const opened = new Map<string, string>()
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

/** Whether a database has data keys already, so that only their own secret key will do. */
export async function hasDataKeys(storage: Storage): Promise<boolean> {
  const query = storage.tables<KeyringTables>().selectFrom('data_keys').select('id').limit(1)
  return (await query.executeTakeFirst()) !== undefined
}
