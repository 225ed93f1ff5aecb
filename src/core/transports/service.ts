import type { Transaction } from 'kysely'
import { AppError, type FaultDetails, faultsOf } from '../../kit/app-error.ts'
import { type Caller, owns } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { Hook } from '../../kit/hooks.ts'
import { mapMaybe } from '../../kit/maybe-promise.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import {
  DsnError,
  maskDsn,
  type ParseDsnOptions,
  parseDsn,
  secretMask,
  unmaskDsn,
} from '../../libraries/mailer/index.ts'
import {
  brandAccess,
  type DeletedRecords,
  Dependents,
  type ItemToPrepare,
  openResource,
  type Released,
  type Resource,
  type RestoredItem,
  type WrittenItems,
} from '../../platform/resource/index.ts'
import { openRecordStore, routesChannel, type Storage } from '../../platform/storage/index.ts'
import { findLastTest, removeLastTest, restoreLastTest } from './last-tests.ts'
import { SaveTests } from './save-tests.ts'
import {
  type TransportInput,
  type TransportItem,
  transportFields,
  transportRecord,
} from './schema.ts'
import {
  openStoredDsns,
  type StoredDsns,
  type StoredDsnsOptions,
  unreadableDsn,
} from './stored-dsns.ts'
import type { TransportRow, TransportTestRow } from './table.ts'
import type { TestTransport } from './test-message.ts'
import { createFindWarnings, ReadStamps } from './transport-warnings.ts'

export interface TransportsOptions extends StoredDsnsOptions {
  clock: Clock
  /** What the operator permits in DSNs. */
  dsnOptions: ParseDsnOptions
  sendTest: TestTransport
  deleted: DeletedRecords
}

interface TransportHooks {
  /** The DSN of a transport changes, in the transaction. */
  changingDsn: Hook<[id: number, tx: Transaction<object>]>
}

/** The transports. Their DSNs are encrypted in the database. */
export interface Transports extends Resource<TransportRow, TransportItem, TransportInput> {
  readonly hooks: TransportHooks
  /** What ends with a transport that is deleted, and comes back with one that is restored. */
  readonly dependents: Dependents
  /** Decrypts the DSN of a row, for sending only. Throws where the key is missing. */
  dsnOf: StoredDsns['get']
  /** As `dsnOf`, but undefined where the key is missing. */
  findDsn: (row: TransportRow) => Promise<string | undefined>
  /** See `StoredDsns.reseal`. */
  reseal: () => Promise<string[]>
  /** Returns a transport that the caller may change, and so test. Throws an AppError (`not_found`, `forbidden`). */
  getChangeable: (id: number, caller: Caller) => Promise<TransportRow>
}

export function openTransports(options: TransportsOptions): Transports {
  const { storage, clock, dsnOptions, sendTest } = options
  const hooks: TransportHooks = { changingDsn: new Hook() }
  const dependents = new Dependents()
  const dsns = openStoredDsns(options)
  const stamps = new ReadStamps(storage)
  const findWarnings = createFindWarnings(storage, { stamps, dsnOptions })
  const findDsn = async (row: TransportRow) => (await dsns.find([row]))[0]
  const present = (rows: readonly TransportRow[], caller: Caller) => {
    const show = (row: TransportRow, dsn: string) => (mayEdit(row, caller) ? dsn : maskDsn(dsn))
    return mapMaybe(dsns.find(rows), (dsnTexts) =>
      mapMaybe(findWarnings(rows, dsnTexts), (warnings) =>
        rows.map((row, index) =>
          presentTransport(row, show(row, dsnTexts[index] ?? unreadableDsn), warnings[index] ?? []),
        ),
      ),
    )
  }
  const rows = openTransportStore(storage)
  const access = brandAccess<TransportRow, TransportInput>({ label: 'Transport', storage })
  const store = { ...rows, find: (id: number) => stamps.with(rows.find(id)) }
  const saveTests = new SaveTests({ dsns, sendTest, clock })
  const resource = openResource<TransportRow, TransportItem, TransportInput>({
    clock,
    store,
    area: 'multipleTransports',
    notFound: transportNotFound,
    access,
    findFaults: ({ mailerDsn }) => findDsnFaults(mailerDsn, dsnOptions),
    async toInput(row) {
      const mailerDsn = (await findDsn(row)) ?? unreadableDsn
      return { ...transportRecord.toValues(row), mailerDsn }
    },
    prepare: (item) => prepareTransport(item, { dsns, dsnOptions }),
    present,
    hooks: {
      afterWrite: (tx, written) => forgetDsn(tx, written, hooks),
      beforeRemove: (tx, { current }) => release(tx, current.id, dependents),
      afterCommit: () => storage.notify(routesChannel),
    },
    parts: {
      test: (item) => saveTests.run(item),
      trash: {
        records: options.deleted,
        // It is another revision, so that the back-off from before its deletion has ended.
        beforeRestore: (_tx, { row }) => ({
          columns: { revision: row.revision + 1 },
          warnings: [],
        }),
        afterRestore: (tx, restored) => restore(tx, restored, dependents),
      },
    },
  })
  return {
    ...resource,
    hooks,
    dependents,
    dsnOf: dsns.get,
    findDsn,
    reseal: () => dsns.reseal(options.deleted),
    async getChangeable(id, caller) {
      const row = await resource.getRow(id, caller)
      access.checkChangeable(row, caller)
      return row
    },
  }
}

async function findDsnFaults(dsn: unknown, dsnOptions: ParseDsnOptions): Promise<FaultDetails> {
  // A mask is no secret of the right form; `prepare` checks the stored one.
  if (typeof dsn !== 'string' || dsn.includes(secretMask)) return {}
  return faultsOf(() => readDsn(dsn, dsn, dsnOptions))
}

function openTransportStore(storage: Storage) {
  const list = { table: 'transports', nameColumn: 'name', fields: transportFields }
  return openRecordStore<TransportRow>(storage, list)
}

/** What the deletion of a transport released. */
interface TransportRelated {
  lastTest: TransportTestRow | null
  uses: unknown
}

async function release(
  tx: Transaction<object>,
  id: number,
  dependents: Dependents,
): Promise<Released> {
  const lastTest = (await findLastTest(tx, id)) ?? null
  const { consequence, related: uses } = await dependents.release(id, tx)
  const related: TransportRelated = { lastTest, uses }
  return { consequence, related }
}

async function restore(
  tx: Transaction<object>,
  { row: { id }, related }: RestoredItem<TransportRow>,
  dependents: Dependents,
): Promise<string[]> {
  const { lastTest, uses } = related as TransportRelated
  await restoreLastTest(tx, lastTest)
  return dependents.restore(id, uses, tx)
}

/** Encrypts a new DSN. Throws an AppError for a faulty one. */
async function prepareTransport(
  { input, current, caller }: ItemToPrepare<TransportRow, TransportInput>,
  { dsns, dsnOptions }: Pick<TransportsOptions, 'dsnOptions'> & { dsns: StoredDsns },
) {
  const [stored] = current === undefined ? [] : await dsns.find([current])
  // A stored DSN is not checked again: the edit may be the one that unpublishes the transport.
  if (current !== undefined && isAsShown(input.mailerDsn, stored))
    return { columns: toColumns(input, current) }
  const dsn = readDsn(input.mailerDsn, stored, dsnOptionsFor(caller, dsnOptions))
  if (current !== undefined && dsn === stored) return { columns: toColumns(input, current) }
  const sealed = await dsns.seal(dsn)
  const written = { mailer_dsn: sealed.text, is_public_only: caller.mautic !== undefined }
  return { columns: toColumns(input, written), isCurrent: sealed.isCurrent }
}

/** Whether a caller may edit a transport, and so see its secrets. */
export function mayEdit(row: TransportRow, caller: Caller): boolean {
  return caller.can('multipleTransports:edit') && owns(caller, row.brand_id)
}

/** Deletes the last test of a transport whose DSN changed, and what others know of that DSN. */
async function forgetDsn(
  tx: Transaction<object>,
  { rows: [row], before }: WrittenItems<TransportRow, TransportInput>,
  { changingDsn }: TransportHooks,
): Promise<void> {
  if (before === undefined || row === undefined || row.mailer_dsn === before.mailer_dsn) return
  await removeLastTest(tx, row.id)
  await changingDsn.call(row.id, tx)
}

/** Whether a DSN is the stored one as the API shows it: in clear, masked, or unreadable. */
function isAsShown(dsn: string, stored: string | undefined): boolean {
  return stored === undefined ? dsn === unreadableDsn : [stored, maskDsn(stored)].includes(dsn)
}

/** What a DSN of this caller may do. The mail command and the addresses of this machine are not for callers of a Mautic. */
export function dsnOptionsFor({ mautic }: Caller, dsnOptions: ParseDsnOptions): ParseDsnOptions {
  return mautic === undefined
    ? dsnOptions
    : { ...dsnOptions, hasCommand: false, sourceAddresses: [] }
}

/** Fills masked secrets of a DSN from the stored one. Throws an AppError (`invalid`) for a faulty DSN. */
export function readDsn(
  input: string,
  stored: string | undefined,
  dsnOptions: ParseDsnOptions,
): string {
  try {
    const dsn = unmaskDsn(input, stored ?? 'null://null')
    parseDsn(dsn, dsnOptions)
    return dsn
  } catch (error) {
    throw error instanceof DsnError ? dsnRefused(error) : error
  }
}

function presentTransport(
  row: TransportRow,
  mailerDsn: string,
  warnings: readonly string[],
): TransportItem {
  const item = transportRecord.present(row, { mailerDsn })
  return warnings.length === 0 ? item : { ...item, warnings: [...warnings] }
}

function toColumns(
  input: TransportInput,
  { mailer_dsn, is_public_only }: Pick<TransportRow, 'mailer_dsn' | 'is_public_only'>,
) {
  return {
    ...transportRecord.toColumns(input),
    name_key: nameKey(input.name),
    mailer_dsn,
    is_public_only: Boolean(is_public_only),
  }
}

const transportNotFound = () =>
  new AppError('not_found', 'transport_not_found', 'Transport not found')

/** The message of a DsnError holds no secret. */
const dsnRefused = ({ message, code }: DsnError) =>
  new AppError('invalid', `dsn_${code}`, message, { details: { mailerDsn: [message] } })
