import { randomBytes } from 'node:crypto'
import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import { type Keyring, keyIdLength, type Storage } from '../storage/index.ts'
import type { WebhookRow, WebhookTables } from './table.ts'

const purposes = {
  url: 'webhooks.url',
  secret: 'webhooks.secret',
  old_secret: 'webhooks.old_secret',
} as const

/** The columns that are encrypted. */
export type SecretColumn = keyof typeof purposes

const columns = Object.keys(purposes) as SecretColumn[]

/** A column that is to be written, and whether its data key is still the current one in the transaction that writes it. */
export interface SealedColumn {
  text: string
  isCurrent: (tx: QueryExecutorProvider) => Promise<boolean>
}

const secretSizeBytes = 32
const secretPrefix = 'whsec_'

/** Creates a secret as Standard Webhooks writes it. */
export function createWebhookSecret(): string {
  return `${secretPrefix}${randomBytes(secretSizeBytes).toString('base64')}`
}

/** The bytes of a secret. */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64')
}

/** The addresses and secrets of webhooks, which are encrypted in the database. */
export class WebhookSecrets {
  readonly #storage: Storage
  readonly #keyring: Keyring

  constructor(storage: Storage, keyring: Keyring) {
    this.#storage = storage
    this.#keyring = keyring
  }

  /** Decrypts a column; null for none. Throws an AppError (`conflict`) where its key is missing. */
  async open(row: Pick<WebhookRow, 'name' | SecretColumn>, column: SecretColumn) {
    const sealed = row[column]
    if (sealed === null) return null
    const text = await this.#decrypt(sealed, column)
    if (text === undefined) throw unreadable(row.name)
    return text
  }

  /** As `open`, but undefined where the key is missing. */
  async find(row: Pick<WebhookRow, SecretColumn>, column: SecretColumn) {
    const sealed = row[column]
    return sealed === null ? null : this.#decrypt(sealed, column)
  }

  /** Encrypts a text for a column. */
  async seal(column: SecretColumn, text: string): Promise<SealedColumn> {
    const sealer = await this.#keyring.sealer(this.#storage.tables())
    return {
      text: sealer.seal(purposes[column], text),
      isCurrent: async (tx) => (await this.#keyring.sealer(tx)).keyId === sealer.keyId,
    }
  }

  /** Encrypts texts with the current data key of a transaction. */
  async sealIn(tx: QueryExecutorProvider, texts: Partial<Record<SecretColumn, string | null>>) {
    const sealer = await this.#keyring.sealer(tx)
    const sealed: Partial<Record<SecretColumn, string | null>> = {}
    for (const column of columns) {
      const text = texts[column]
      if (text !== undefined)
        sealed[column] = text === null ? null : sealer.seal(purposes[column], text)
    }
    return sealed
  }

  /**
   * Encrypts every secret with the current data key, in one transaction: there are few. One whose key is missing stays as it is.
   * Returns the ids of the keys that are still in use.
   */
  async reseal(): Promise<string[]> {
    await this.#storage.transaction(async (tx: Transaction<WebhookTables>) => {
      const { keyId } = await this.#keyring.sealer(tx)
      const query = tx
        .selectFrom('webhooks')
        .select(['id', ...columns])
        .orderBy('id')
        .forUpdate()
      for (const row of await query.execute()) {
        const texts: Partial<Record<SecretColumn, string>> = {}
        for (const column of columns) {
          const sealed = row[column]
          if (sealed === null || sealed.startsWith(`${keyId}.`)) continue
          const text = await this.#decrypt(sealed, column)
          if (text !== undefined) texts[column] = text
        }
        if (Object.keys(texts).length === 0) continue
        const update = tx.updateTable('webhooks').set(await this.sealIn(tx, texts))
        await update.where('id', '=', row.id).execute()
      }
    })
    const usedIds = new Set<string>()
    for (const column of columns) {
      const keyId = sql<string>`substr(${sql.ref(column)}, 1, ${keyIdLength})`.as('key_id')
      const webhooks = this.#storage.tables<WebhookTables>().selectFrom('webhooks')
      const rows = await webhooks.select(keyId).distinct().where(column, 'is not', null).execute()
      for (const row of rows) usedIds.add(row.key_id)
    }
    return [...usedIds]
  }

  /** Returns undefined for a text whose key is missing. */
  async #decrypt(sealed: string, column: SecretColumn): Promise<string | undefined> {
    try {
      return await this.#keyring.opening((open) => open(purposes[column], sealed))
    } catch (error) {
      if (error instanceof AppError) throw error
      return undefined
    }
  }
}

function unreadable(name: string): AppError {
  const message =
    `The secret of the webhook "${name}" cannot be decrypted, because its key is missing. ` +
    'Enter its address again and rotate its secret.'
  return new AppError('conflict', 'webhook_secret_unreadable', message)
}
