import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { secretMask } from '../../libraries/mailer/index.ts'
import type { DeletedRecords } from '../../platform/resource/index.ts'
import {
  type Keyring,
  keyIdLength,
  SealedColumns,
  type Storage,
} from '../../platform/storage/index.ts'
import type { TransportRow } from './table.ts'

/**
 * What the API shows where a DSN cannot be decrypted: it has the form of a DSN, with a scheme that does not exist. It holds the
 * mask of secrets, so an edit that sends it back keeps the stored DSN.
 */
export const unreadableDsn = `unreadable://${secretMask}`

/** The columns of a row that its DSN needs. */
export type SealedRow = Pick<TransportRow, 'id' | 'mailer_dsn'>

/** See `openStoredDsns`. */
export type StoredDsns = ReturnType<typeof openStoredDsns>

export interface StoredDsnsOptions {
  storage: Storage
  keyring: Keyring
  log: Log
}

const purpose = 'transports.mailer_dsn'
/** Decrypted DSNs of this many rows are remembered: those of a page that is read again, not those of a long list. */
const rememberedMax = 100

/** Opens the DSNs of the transports, which are encrypted in the database. */
export function openStoredDsns({ storage, keyring, log }: StoredDsnsOptions) {
  const sealed = new SealedColumns({
    storage,
    keyring,
    table: 'transports',
    keyColumns: ['id'],
    columns: ['mailer_dsn'],
  })
  const openAll = (rows: readonly SealedRow[], isMany: boolean) =>
    keyring.opening((open) => rows.map((row) => open(purpose, row.mailer_dsn)), { isMany })
  const findEach = createFindEach(openAll, log)
  const find = (rows: readonly SealedRow[]): MaybePromise<(string | undefined)[]> => {
    const isMany = rows.length > rememberedMax
    try {
      const all = openAll(rows, isMany)
      return all instanceof Promise ? all.catch(() => findEach(rows, isMany)) : all
    } catch {
      return findEach(rows, isMany)
    }
  }
  return {
    /** Decrypts one DSN. Throws where its key is missing. */
    get: async (row: SealedRow) => keyring.opening((open) => open(purpose, row.mailer_dsn)),
    /** Decrypts DSNs; undefined where the key of one is missing, which is logged once. */
    find,
    /** Encrypts a DSN, before the transaction that writes it. */
    seal: (dsn: string) => sealed.seal('mailer_dsn', dsn),
    /**
     * Encrypts every DSN with the current data key, also those of deleted transports; returns the ids of the keys that are still
     * in use.
     */
    async reseal(deleted: Pick<DeletedRecords, 'rewrite'>): Promise<string[]> {
      const keyIds = await resealDeleted({ deleted, keyring }, find)
      for (const keyId of await sealed.reseal()) keyIds.add(keyId)
      return [...keyIds]
    },
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

/** Encrypts the DSNs of deleted transports; returns the ids of the keys that are still in use. */
async function resealDeleted(
  { deleted, keyring }: { deleted: Pick<DeletedRecords, 'rewrite'>; keyring: Keyring },
  find: (rows: readonly SealedRow[]) => MaybePromise<(string | undefined)[]>,
): Promise<Set<string>> {
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
