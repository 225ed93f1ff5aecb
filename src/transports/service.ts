import { sql, type Transaction } from 'kysely'
import { presentStamps } from '../http/index.ts'
import { faultsOf } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { fold } from '../kit/fold.ts'
import { DsnError, maskDsn, type ParseDsnOptions, parseDsn, unmaskDsn } from '../mailer/index.ts'
import {
  type Keyring,
  keyIdLength,
  openRecords,
  type Records,
  type RuleContext,
  type Storage,
} from '../storage/index.ts'
import { dsnRefused, transportNotFound } from './errors.ts'
import { type TransportInput, type TransportItem, transportFields } from './schema.ts'
import type { TransportRow, TransportTables } from './table.ts'

/** What transports are opened with. */
export interface TransportsOptions {
  storage: Storage
  keyring: Keyring
  clock: Clock
  /** What the operator lets DSNs do. */
  dsnOptions: ParseDsnOptions
}

/** The transports; their DSNs are sealed in the database. */
export interface Transports extends Records<TransportRow, TransportItem, TransportInput> {
  /** The DSN of a row, in clear: for sending, not for showing. */
  dsnOf: (row: TransportRow) => Promise<string>
  /** Seals every DSN under the current data key; answers with the ids of the keys still in use. */
  reseal: () => Promise<string[]>
}

const purpose = 'transports.mailer_dsn'
const resealedAtOnce = 200
/** A page of a list that somebody looks at again, and not all of a long one. */
const rememberedAtOnce = 100

export function openTransports(options: TransportsOptions): Transports {
  const { storage, keyring, clock, dsnOptions } = options
  const dsnOf = async (row: TransportRow) =>
    keyring.opening((open) => open(purpose, row.mailer_dsn))
  const present = (rows: readonly TransportRow[], caller: Caller) => {
    const show = caller.can('multipleTransports:edit') ? (dsn: string) => dsn : maskDsn
    return keyring.opening(
      (open) => rows.map((row) => presentTransport(row, show(open(purpose, row.mailer_dsn)))),
      { isMany: rows.length > rememberedAtOnce },
    )
  }
  const begin = async ({ tx }: RuleContext) => {
    const sealer = await keyring.sealer(tx)
    return {
      toInput: async (current: TransportRow) => toInput(current, await dsnOf(current)),
      toColumns: async (input: TransportInput, current: TransportRow | undefined) => {
        const stored = current === undefined ? undefined : await dsnOf(current)
        const dsn = readDsn(input.mailerDsn, stored, dsnOptions)
        const isKept = current !== undefined && dsn === stored
        return toColumns(input, isKept ? current.mailer_dsn : sealer.seal(purpose, dsn))
      },
    }
  }
  const records = openRecords<TransportRow, TransportItem, TransportInput>(storage, clock, {
    table: 'transports',
    nameColumn: 'name',
    fields: transportFields,
    area: 'multipleTransports',
    notFound: transportNotFound,
    present,
    findFaults: async ({ mailerDsn: dsn }) =>
      // Its own masks are filled with themselves: whether a secret is stored for them, `begin` knows.
      typeof dsn === 'string' ? faultsOf(() => readDsn(dsn, dsn, dsnOptions)) : {},
    begin,
  })
  return { ...records, dsnOf, reseal: () => reseal(storage, keyring) }
}

/** The DSN that a caller means: masked secrets are those of the stored one. Throws what is wrong with it. */
export function readDsn(
  given: string,
  stored: string | undefined,
  dsnOptions: ParseDsnOptions,
): string {
  try {
    const dsn = unmaskDsn(given, stored ?? 'null://null')
    parseDsn(dsn, dsnOptions)
    return dsn
  } catch (error) {
    throw error instanceof DsnError ? dsnRefused(error) : error
  }
}

function presentTransport(row: TransportRow, mailerDsn: string): TransportItem {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    mailerDsn,
    testedEmailFrom: row.tested_email_from,
    ...presentStamps(row),
  }
}

function toInput(row: TransportRow, mailerDsn: string): TransportInput {
  return {
    name: row.name,
    description: row.description,
    mailerDsn,
    testedEmailFrom: row.tested_email_from,
    isPublished: Boolean(row.is_published),
  }
}

function toColumns(input: TransportInput, sealedDsn: string) {
  return {
    name: input.name,
    description: input.description ?? null,
    mailer_dsn: sealedDsn,
    tested_email_from: input.testedEmailFrom || null,
    is_published: input.isPublished ?? true,
    search_text: fold(input.name, input.description),
  }
}

/** In small transactions, so that the service goes on meanwhile. */
async function reseal(storage: Storage, keyring: Keyring): Promise<string[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    after = await resealPage(storage, keyring, after)
  }
  const db = storage.tables<TransportTables>()
  const keyId = sql<string>`substr(mailer_dsn, 1, ${keyIdLength})`.as('key_id')
  const used = await db.selectFrom('transports').select(keyId).distinct().execute()
  return used.map((row) => row.key_id)
}

/** Returns the last id of the page; undefined where it was empty. */
function resealPage(
  storage: Storage,
  keyring: Keyring,
  after: number,
): Promise<number | undefined> {
  return storage.transaction(async (tx: Transaction<TransportTables>) => {
    const sealer = await keyring.sealer(tx)
    const query = tx.selectFrom('transports').selectAll().where('id', '>', after).orderBy('id')
    const rows = await query.limit(resealedAtOnce).forUpdate().execute()
    for (const row of rows) {
      if (row.mailer_dsn.startsWith(`${sealer.keyId}.`)) continue
      const dsn = await keyring.opening((open) => open(purpose, row.mailer_dsn))
      const sealed = { mailer_dsn: sealer.seal(purpose, dsn) }
      await tx.updateTable('transports').set(sealed).where('id', '=', row.id).execute()
    }
    return rows.at(-1)?.id
  })
}
