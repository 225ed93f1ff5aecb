import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import type { Log } from '../kit/log.ts'
import type { MaybePromise } from '../kit/maybe-promise.ts'
import { secretMask } from '../mailer/index.ts'
import type { DeletedRecords } from '../resource/index.ts'
import { type Keyring, keyIdLength, type Storage } from '../storage/index.ts'
import type { TransportRow, TransportTables } from './table.ts'

/**
 * What the API shows where a DSN cannot be decrypted: it has the form of a DSN, with a scheme that does not exist. It holds the
 * mask of secrets, so an edit that sends it back keeps the stored DSN.
 */
export const unreadableDsn = `unreadable://${secretMask}`

/** The columns of a row that its DSN needs. */
export type SealedRow = Pick<TransportRow, 'id' | 'mailer_dsn'>

/** The DSNs of the transports, which are encrypted in the database. */
export interface StoredDsns {
  /** Decrypts one DSN. Throws where its key is missing. */
  get: (row: SealedRow) => Promise<string>
  /** Decrypts DSNs; undefined where the key of one is missing, which is logged once. */
  find: (rows: readonly SealedRow[]) => MaybePromise<(string | undefined)[]>
  /** Encrypts a DSN. `isCurrent` says, in a transaction, whether its data key is still the current one. */
  seal: (
    dsn: string,
  ) => Promise<{ text: string; isCurrent: (tx: QueryExecutorProvider) => Promise<boolean> }>
  /**
   * Encrypts every DSN with the current data key, also those of deleted transports; returns the ids of the keys that are still
   * in use.
   */
  reseal: (deleted: Pick<DeletedRecords, 'rewrite'>) => Promise<string[]>
}

/** Options of `openStoredDsns`. */
export interface StoredDsnsOptions {
  storage: Storage
  keyring: Keyring
  log: Log
}

const purpose = 'transports.mailer_dsn'
const resealedPerBatch = 200
/** Decrypted DSNs of this many rows are remembered: those of a page that is read again, not those of a long list. */
const rememberedMax = 100

export function openStoredDsns({ storage, keyring, log }: StoredDsnsOptions): StoredDsns {
  const openAll = (rows: readonly SealedRow[], isMany: boolean) =>
    keyring.opening((open) => rows.map((row) => open(purpose, row.mailer_dsn)), { isMany })
  const findEach = createFindEach(openAll, log)
  const find = (rows: readonly SealedRow[]) => {
    const isMany = rows.length > rememberedMax
    try {
      const all = openAll(rows, isMany)
      return all instanceof Promise ? all.catch(() => findEach(rows, isMany)) : all
    } catch {
      return findEach(rows, isMany)
    }
  }
  return {
    get: async (row) => keyring.opening((open) => open(purpose, row.mailer_dsn)),
    find,
    async seal(dsn) {
      const sealer = await keyring.sealer(storage.tables())
      const isCurrent = async (tx: QueryExecutorProvider) =>
        (await keyring.sealer(tx)).keyId === sealer.keyId
      return { text: sealer.seal(purpose, dsn), isCurrent }
    },
    reseal: (deleted) => reseal({ storage, keyring, deleted, find }),
  }
}

type OpenAll = (rows: readonly SealedRow[], isMany: boolean) => MaybePromise<string[]>

/** Decrypts rows one by one, to find the one that cannot be decrypted. Throws where the database does not answer. */
function createFindEach(openAll: OpenAll, log: Log) {
  const logged = new Map<number, string>()
  const findOne = async (row: SealedRow, isMany: boolean) => {
    try {
      return (await openAll([row], isMany))[0]
    } catch (err) {
      if (err instanceof AppError && err.kind === 'upstream') throw err
      if (logged.get(row.id) === row.mailer_dsn) return undefined
      logged.set(row.id, row.mailer_dsn)
      log.error({ transportId: row.id, err }, 'the DSN of a transport cannot be read')
      return undefined
    }
  }
  return async (rows: readonly SealedRow[], isMany: boolean) => {
    const results: (string | undefined)[] = []
    for (const row of rows) results.push(await findOne(row, isMany))
    return results
  }
}

type Resealing = Pick<StoredDsnsOptions, 'storage' | 'keyring'> &
  Pick<StoredDsns, 'find'> & { deleted: Pick<DeletedRecords, 'rewrite'> }

/** Runs small transactions, so that requests are served in between. */
async function reseal(parts: Resealing): Promise<string[]> {
  const deletedKeyIds = await resealDeleted(parts)
  for (let after: number | undefined = 0; after !== undefined; ) {
    after = await resealPage(parts, after)
  }
  const db = parts.storage.tables<TransportTables>()
  const keyId = sql<string>`substr(mailer_dsn, 1, ${keyIdLength})`.as('key_id')
  const used = await db.selectFrom('transports').select(keyId).distinct().execute()
  return [...new Set([...deletedKeyIds, ...used.map((row) => row.key_id)])]
}

/** Encrypts the DSNs of deleted transports; returns the ids of the keys that are still in use. */
async function resealDeleted({ deleted, keyring, find }: Resealing): Promise<Set<string>> {
  const used = new Set<string>()
  await deleted.rewrite<TransportRow>('transports', async (row, tx) => {
    const sealer = await keyring.sealer(tx)
    const isCurrent = row.mailer_dsn.startsWith(`${sealer.keyId}.`)
    const [dsn] = isCurrent ? [] : await find([row])
    const mailerDsn = dsn === undefined ? row.mailer_dsn : sealer.seal(purpose, dsn)
    used.add(mailerDsn.slice(0, keyIdLength))
    return dsn === undefined ? undefined : { ...row, mailer_dsn: mailerDsn }
  })
  return used
}

/** Returns the last id of the page; undefined for an empty page. */
function resealPage(
  { storage, keyring, find }: Resealing,
  after: number,
): Promise<number | undefined> {
  return storage.transaction(async (tx: Transaction<TransportTables>) => {
    const sealer = await keyring.sealer(tx)
    const query = tx.selectFrom('transports').selectAll().where('id', '>', after).orderBy('id')
    const rows = await query.limit(resealedPerBatch).forUpdate().execute()
    for (const row of rows) {
      if (row.mailer_dsn.startsWith(`${sealer.keyId}.`)) continue
      const [dsn] = await find([row])
      if (dsn === undefined) continue
      const sealed = { mailer_dsn: sealer.seal(purpose, dsn) }
      await tx.updateTable('transports').set(sealed).where('id', '=', row.id).execute()
    }
    return rows.at(-1)?.id
  })
}
