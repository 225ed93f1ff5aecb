import type { Transaction } from 'kysely'
import { presentStamps } from '../http/index.ts'
import { faultsOf } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { andThen } from '../kit/eventual.ts'
import { fold } from '../kit/fold.ts'
import { nameKey } from '../kit/name-key.ts'
import { DsnError, maskDsn, type ParseDsnOptions, parseDsn, unmaskDsn } from '../mailer/index.ts'
import { type ItemChange, openRecords, type Records } from '../storage/index.ts'
import { dsnRefused, transportNotFound } from './errors.ts'
import { type TransportInput, type TransportItem, transportFields } from './schema.ts'
import {
  openStoredDsns,
  type StoredDsns,
  type StoredDsnsOptions,
  unreadableDsn,
} from './stored-dsns.ts'
import type { TransportRow } from './table.ts'
import { createFindWarnings } from './transport-warnings.ts'

/** What transports are opened with. */
export interface TransportsOptions extends StoredDsnsOptions {
  clock: Clock
  /** What the operator lets DSNs do. */
  dsnOptions: ParseDsnOptions
  /** What a transport is assigned to, as a sentence, in the transaction that deletes it. */
  describeUses: (id: number, tx: Transaction<object>) => Promise<string | undefined>
}

/** The transports; their DSNs are sealed in the database. */
export interface Transports extends Records<TransportRow, TransportItem, TransportInput> {
  /** The DSN of a row, in clear: for sending, not for showing. Throws where it cannot be read. */
  dsnOf: StoredDsns['get']
  /** As `dsnOf`, but undefined where it cannot be read with the keys that there are. */
  findDsn: (row: TransportRow) => Promise<string | undefined>
  reseal: StoredDsns['reseal']
}

export function openTransports(options: TransportsOptions): Transports {
  const { storage, clock, dsnOptions, describeUses } = options
  const dsns = openStoredDsns(options)
  const findWarnings = createFindWarnings(storage, dsnOptions)
  const findDsn = async (row: TransportRow) => (await dsns.find([row]))[0]
  const present = (rows: readonly TransportRow[], caller: Caller) => {
    const show = caller.can('multipleTransports:edit') ? (dsn: string) => dsn : maskDsn
    return andThen(dsns.find(rows), (found) =>
      andThen(findWarnings(rows, found), (warnings) =>
        rows.map((row, index) =>
          presentTransport(row, show(found[index] ?? unreadableDsn), warnings[index] ?? []),
        ),
      ),
    )
  }
  const prepare = async ({ input, current }: ItemChange<TransportRow, TransportInput>) => {
    const stored = current === undefined ? undefined : await findDsn(current)
    // What is stored already is not judged anew: what it is edited for may be to put it out of use.
    if (current !== undefined && isAsShown(input.mailerDsn, stored))
      return { columns: toColumns(input, current.mailer_dsn) }
    const dsn = readDsn(input.mailerDsn, stored, dsnOptions)
    if (current !== undefined && dsn === stored)
      return { columns: toColumns(input, current.mailer_dsn) }
    const sealed = await dsns.seal(dsn)
    return { columns: toColumns(input, sealed.text), isCurrent: sealed.isCurrent }
  }
  const records = openRecords<TransportRow, TransportItem, TransportInput>(storage, clock, {
    table: 'transports',
    nameColumn: 'name',
    fields: transportFields,
    area: 'multipleTransports',
    notFound: transportNotFound,
    present,
    findFaults: async ({ mailerDsn: dsn }) =>
      // Its own masks are filled with themselves: whether a secret is stored for them, `prepare` knows.
      typeof dsn === 'string' ? faultsOf(() => readDsn(dsn, dsn, dsnOptions)) : {},
    toInput: async (row) => toInput(row, (await findDsn(row)) ?? unreadableDsn),
    prepare,
    begin: ({ tx }) => ({ describeRemoval: ({ id }) => describeUses(id, tx) }),
  })
  return { ...records, dsnOf: dsns.get, findDsn, reseal: dsns.reseal }
}

/** Whether it is what is stored, as somebody is shown it. */
function isAsShown(given: string, stored: string | undefined): boolean {
  return stored === undefined ? given === unreadableDsn : [stored, maskDsn(stored)].includes(given)
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

function presentTransport(row: TransportRow, mailerDsn: string, warnings: string[]): TransportItem {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    mailerDsn,
    testedEmailFrom: row.tested_email_from,
    ...presentStamps(row),
    ...(warnings.length === 0 ? {} : { warnings }),
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
    name_key: nameKey(input.name),
    description: input.description ?? null,
    mailer_dsn: sealedDsn,
    tested_email_from: input.testedEmailFrom || null,
    is_published: input.isPublished ?? true,
    search_text: fold(input.name, input.description),
  }
}
