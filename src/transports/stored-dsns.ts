import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import type { Eventual } from '../kit/eventual.ts'
import { createLog, type Log } from '../kit/log.ts'
import { secretMask } from '../mailer/index.ts'
import { type Keyring, keyIdLength, type Storage } from '../storage/index.ts'
import type { TransportRow, TransportTables } from './table.ts'

/**
 * Shown where a DSN cannot be read: shaped as one, and no scheme that there is. It holds the mask, so an
 * edit that sends it back keeps what is stored, as with any mask.
 */
export const unreadableDsn = `unreadable://${secretMask}`

/** A row, as far as its DSN goes. */
export type SealedRow = Pick<TransportRow, 'id' | 'mailer_dsn'>

/** The DSNs of the transports, which are sealed in the database. */
export interface StoredDsns {
  /** In clear. Throws where it cannot be read. */
  get: (row: SealedRow) => Promise<string>
  /** In clear; undefined where one cannot be read with the keys that there are, which is logged once. */
  find: (rows: readonly SealedRow[]) => Eventual<(string | undefined)[]>
  /** Seals a DSN; `isCurrent` says in a transaction whether the data key is still the one that it is sealed with. */
  seal: (
    dsn: string,
  ) => Promise<{ text: string; isCurrent: (tx: QueryExecutorProvider) => Promise<boolean> }>
  /** Seals every DSN that can be read under the current data key; answers with the ids of the keys still in use. */
  reseal: () => Promise<string[]>
}

/** What stored DSNs are opened with. */
export interface StoredDsnsOptions {
  storage: Storage
  keyring: Keyring
  log: Log
}

const purpose = 'transports.mailer_dsn'
const resealedAtOnce = 200
/** A page of a list that somebody looks at again, and not all of a long one. */
const rememberedAtOnce = 100

export function openStoredDsns({ storage, keyring, log }: StoredDsnsOptions): StoredDsns {
  const openAll = (rows: readonly SealedRow[], isMany: boolean) =>
    keyring.opening((open) => rows.map((row) => open(purpose, row.mailer_dsn)), { isMany })
  const findEach = createFindEach(openAll, log)
  const find = (rows: readonly SealedRow[]) => {
    const isMany = rows.length > rememberedAtOnce
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
    reseal: () => reseal({ storage, keyring, find }),
  }
}

type OpenAll = (rows: readonly SealedRow[], isMany: boolean) => Eventual<string[]>

/** Looks for the one among them that cannot be read. Throws what says that the database does not answer. */
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
    const found: (string | undefined)[] = []
    for (const row of rows) found.push(await findOne(row, isMany))
    return found
  }
}

type Resealing = Pick<StoredDsnsOptions, 'storage' | 'keyring'> & Pick<StoredDsns, 'find'>

/** In small transactions, so that the service goes on meanwhile. */
async function reseal(parts: Resealing): Promise<string[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    after = await resealPage(parts, after)
  }
  const db = parts.storage.tables<TransportTables>()
  const keyId = sql<string>`substr(mailer_dsn, 1, ${keyIdLength})`.as('key_id')
  const used = await db.selectFrom('transports').select(keyId).distinct().execute()
  return used.map((row) => row.key_id)
}

/** Returns the last id of the page; undefined where it was empty. */
function resealPage(
  { storage, keyring, find }: Resealing,
  after: number,
): Promise<number | undefined> {
  return storage.transaction(async (tx: Transaction<TransportTables>) => {
    const sealer = await keyring.sealer(tx)
    const query = tx.selectFrom('transports').selectAll().where('id', '>', after).orderBy('id')
    const rows = await query.limit(resealedAtOnce).forUpdate().execute()
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

/** The transports whose DSN cannot be read with the keys that there are. */
export async function findUnreadableDsns(
  parts: Pick<StoredDsnsOptions, 'storage' | 'keyring'>,
): Promise<Pick<TransportRow, 'id' | 'name'>[]> {
  const { find } = openStoredDsns({ ...parts, log: createLog('silent') })
  const unreadable: Pick<TransportRow, 'id' | 'name'>[] = []
  for (let after = 0; ; ) {
    const rows = await parts.storage
      .tables<TransportTables>()
      .selectFrom('transports')
      .select(['id', 'name', 'mailer_dsn'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(resealedAtOnce)
      .execute()
    const dsns = await find(rows)
    unreadable.push(...rows.filter((_, index) => dsns[index] === undefined))
    after = rows.at(-1)?.id ?? 0
    if (rows.length < resealedAtOnce) return unreadable
  }
}
