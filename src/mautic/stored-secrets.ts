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
export interface StoredSecrets {
  /** Decrypts a secret; null for none. Throws an AppError (`conflict`) where its key is missing. */
  open(row: SecretRow, column: SecretColumn): Promise<string | null>
  /** Encrypts a secret. `isCurrent` says, in a transaction, whether its data key is still the current one. */
  seal(
    column: SecretColumn,
    secret: string,
  ): Promise<{ text: string; isCurrent: (tx: QueryExecutorProvider) => Promise<boolean> }>
  /** Encrypts every secret with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]>
}

/** Opens the secrets. */
export function openStoredSecrets(parts: { storage: Storage; keyring: Keyring }): StoredSecrets {
  const { storage, keyring } = parts
  const decrypt = (row: SecretRow, column: SecretColumn) =>
    keyring.opening((open) => open(purposes[column], row[column] ?? ''))
  return {
    async open(row, column) {
      if (row[column] === null) return null
      try {
        return await decrypt(row, column)
      } catch (error) {
        if (error instanceof AppError) throw error
        throw secretUnreadable(row.name)
      }
    },
    async seal(column, secret) {
      const sealer = await keyring.sealer(storage.tables())
      const isCurrent = async (tx: QueryExecutorProvider) =>
        (await keyring.sealer(tx)).keyId === sealer.keyId
      return { text: sealer.seal(purposes[column], secret), isCurrent }
    },
    async reseal() {
      const usedIds = new Set<string>()
      for (const column of ['secret', 'webhook_secret'] as const) {
        await resealColumn(parts, column)
        for (const id of await findKeyIds(storage, column)) usedIds.add(id)
      }
      return [...usedIds]
    },
  }
}

/** There are few Mautics: one transaction encrypts the secrets of all. */
function resealColumn(
  { storage, keyring }: { storage: Storage; keyring: Keyring },
  column: SecretColumn,
): Promise<void> {
  return storage.transaction(async (tx: Transaction<MauticTables>) => {
    const sealer = await keyring.sealer(tx)
    const query = tx.selectFrom('mautics').select(['id', column]).where(column, 'is not', null)
    for (const row of await query.orderBy('id').forUpdate().execute()) {
      const sealed = row[column] ?? ''
      if (sealed.startsWith(`${sealer.keyId}.`)) continue
      const text = await openOrKeep(keyring, column, sealed)
      if (text === undefined) continue
      const change = { [column]: sealer.seal(purposes[column], text) }
      await tx.updateTable('mautics').set(change).where('id', '=', row.id).execute()
    }
  })
}

/** Returns undefined for a secret whose key is missing: it stays as it is. */
async function openOrKeep(keyring: Keyring, column: SecretColumn, sealed: string) {
  try {
    return await keyring.opening((open) => open(purposes[column], sealed))
  } catch (error) {
    if (error instanceof AppError) throw error
    return undefined
  }
}

async function findKeyIds(storage: Storage, column: SecretColumn): Promise<string[]> {
  const db = storage.tables<MauticTables>()
  const keyId = sql<string>`substr(${sql.ref(column)}, 1, ${keyIdLength})`.as('key_id')
  const query = db.selectFrom('mautics').select(keyId).distinct().where(column, 'is not', null)
  return (await query.execute()).map((row) => row.key_id)
}

function secretUnreadable(name: string): AppError {
  const message =
    `The secret of the Mautic "${name}" cannot be decrypted, because its key is missing. ` +
    'Enter the client secret or password again.'
  return new AppError('conflict', 'mautic_secret_unreadable', message)
}
