import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import { type Keyring, keyIdLength, type Storage } from '../storage/index.ts'
import type { MauticRow, MauticTables } from './table.ts'

const purposes = { secret: 'mautics.secret', webhook_secret: 'mautics.webhook_secret' } as const

/** The columns that are encrypted. */
export type SecretColumn = keyof typeof purposes

/** A row, as far as its secrets need it. */
export type SecretRow = Pick<MauticRow, 'name' | SecretColumn>

/** The secrets of the Mautics, which are encrypted in the database. */
export class StoredSecrets {
  readonly #storage: Storage
  readonly #keyring: Keyring

  constructor(storage: Storage, keyring: Keyring) {
    this.#storage = storage
    this.#keyring = keyring
  }

  /** Decrypts a secret; null for none. Throws an AppError (`conflict`) where its key is missing. */
  async open(row: SecretRow, column: SecretColumn): Promise<string | null> {
    const sealed = row[column]
    if (sealed === null) return null
    const secret = await this.#decrypt(sealed, column)
    if (secret === undefined) throw secretUnreadable(row.name)
    return secret
  }

  /** Encrypts a secret. `isCurrent` says, in a transaction, whether its data key is still the current one. */
  async seal(
    column: SecretColumn,
    secret: string,
  ): Promise<{ text: string; isCurrent: (tx: QueryExecutorProvider) => Promise<boolean> }> {
    const sealer = await this.#keyring.sealer(this.#storage.tables())
    const isCurrent = async (tx: QueryExecutorProvider) =>
      (await this.#keyring.sealer(tx)).keyId === sealer.keyId
    return { text: sealer.seal(purposes[column], secret), isCurrent }
  }

  /** Encrypts every secret with the current data key; returns the ids of the keys that are still in use. */
  async reseal(): Promise<string[]> {
    const usedIds = new Set<string>()
    for (const column of ['secret', 'webhook_secret'] as const) {
      await this.#resealColumn(column)
      for (const id of await this.#findKeyIds(column)) usedIds.add(id)
    }
    return [...usedIds]
  }

  /** Encrypts the secrets of all Mautics in one transaction: there are few. One whose key is missing stays as it is. */
  #resealColumn(column: SecretColumn): Promise<void> {
    return this.#storage.transaction(async (tx: Transaction<MauticTables>) => {
      const sealer = await this.#keyring.sealer(tx)
      const query = tx.selectFrom('mautics').select(['id', column]).where(column, 'is not', null)
      for (const row of await query.orderBy('id').forUpdate().execute()) {
        const sealed = row[column] ?? ''
        if (sealed.startsWith(`${sealer.keyId}.`)) continue
        const secret = await this.#decrypt(sealed, column)
        if (secret === undefined) continue
        const change = { [column]: sealer.seal(purposes[column], secret) }
        await tx.updateTable('mautics').set(change).where('id', '=', row.id).execute()
      }
    })
  }

  async #findKeyIds(column: SecretColumn): Promise<string[]> {
    const keyId = sql<string>`substr(${sql.ref(column)}, 1, ${keyIdLength})`.as('key_id')
    const mautics = this.#storage.tables<MauticTables>().selectFrom('mautics')
    const rows = await mautics.select(keyId).distinct().where(column, 'is not', null).execute()
    return rows.map((row) => row.key_id)
  }

  /** Returns undefined for a secret whose key is missing. */
  async #decrypt(sealed: string, column: SecretColumn): Promise<string | undefined> {
    try {
      return await this.#keyring.opening((open) => open(purposes[column], sealed))
    } catch (error) {
      if (error instanceof AppError) throw error
      return undefined
    }
  }
}

function secretUnreadable(name: string): AppError {
  const message =
    `The secret of the Mautic "${name}" cannot be decrypted, because its key is missing. ` +
    'Enter the client secret or password again.'
  return new AppError('conflict', 'mautic_secret_unreadable', message)
}
