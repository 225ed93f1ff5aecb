import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { AppError, FaultDetails } from '../../kit/app-error.ts'
import type { BatchItemResult } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import type { OwnColumns, RecordRow, RecordStore } from '../storage/index.ts'
import type { DeletedRecords } from './deleted/deleted-records.ts'
import type { Entry, FaultContext } from './resource-service.ts'

/**
 * One kind of resource: its store, its rules, and what it adds to changes. `changes/save-items.ts` has the order in which a
 * creation or an edit calls them, `changes/remove-items.ts` that of a deletion, `changes/restore-items.ts` that of a restoration.
 */
export interface ResourceDefinition<Row extends RecordRow, Item, Input> {
  clock: Clock
  /** Its `largeColumns` limit how many records one request may name. */
  store: RecordStore<Row>
  /** Permission area: a replacement of a missing record needs `area:create`, a change of isPublished `area:publish`. */
  area: string
  notFound: (id: number) => AppError
  /** Which callers see and change which records. Default: all callers all of them. */
  access?: ResourceAccess<Row, Input>
  /** For records that another one may already be, such as contacts with the same address. */
  identity?: ResourceIdentity<Input>
  /** See `ResourceService.findFaults`. None where the schema finds every fault. */
  findFaults?: (
    values: Readonly<Record<string, unknown>>,
    context: FaultContext,
  ) => MaybePromise<FaultDetails>
  /** The values that a record has now. A PATCH is put over them. */
  toInput: (current: Row) => MaybePromise<Input>
  /**
   * Validates, lints, encrypts: everything slow, before the transaction. It may run again where other changes came
   * first. An AppError fails this item alone.
   */
  prepare: (item: ItemToPrepare<Row, Input>) => MaybePromise<Prepared<Row, Item>>
  /** After the transaction: what the API shows of rows to this caller. */
  present: (rows: readonly Row[], caller: Caller) => MaybePromise<Item[]>
  hooks?: ResourceHooks<Row, Item, Input>
  parts?: DefinitionParts<Row>
}

/** Which callers see and change which records. */
export interface ResourceAccess<Row extends RecordRow, Input = never> {
  /**
   * Throws an AppError (`forbidden`) for callers who may neither see nor change any record. It fails each item of a change that is
   * not atomic.
   */
  checkCaller?: (caller: Caller) => void
  /** Returns which records exist for a caller; undefined for all. */
  scopeOf?: (caller: Caller) => RecordScope<Row> | undefined
  /** Throws an AppError (`forbidden`) where a record that exists for a caller is read-only for them. */
  checkChangeable?: (row: Row, caller: Caller) => void
  /** Returns the input with the owner that its record is to have. Throws an AppError. */
  withBrand?: (item: ItemToPrepare<Row, Input>) => MaybePromise<Input>
  /** Throws an AppError where the owner of a deleted record does not exist any more. */
  checkRestorable?: (tx: Kysely<object>, row: Row) => Promise<void>
}

/** What a resource does when its records change. An AppError of the first three fails one item alone. */
export interface ResourceHooks<Row extends RecordRow, Item, Input> {
  /** In the transaction, before a record is written: checks what only the transaction knows. */
  beforeWrite?: (tx: Transaction<object>, item: ItemToWrite<Row, Input>) => MaybePromise<void>
  /** In the transaction, after records were written: writes what belongs to them. */
  afterWrite?: (tx: Transaction<object>, written: WrittenItems<Row, Input>) => Promise<void>
  /** In the transaction, before a record is deleted. */
  beforeRemove?: (
    tx: Transaction<object>,
    removal: ItemToRemove<Row>,
  ) => MaybePromise<Released | undefined>
  /** After the commit, with the results of all items. It may add to what the API shows of them. */
  afterCommit?: (
    change: 'saved' | 'removed' | 'restored',
    results: readonly BatchItemResult<Entry<Item>>[],
  ) => MaybePromise<void>
}

/** What only some resources have. */
export interface DefinitionParts<Row extends RecordRow> {
  /**
   * Before the transaction, where the request asks for it (`ifTestPasses`): tests an item as it will be stored, over the network.
   * Items are tested at the same time. Returns what writes the result of the test. An AppError fails this item alone.
   */
  test?: (item: ItemToTest<Row>) => Promise<WriteTest | undefined>
  /** Before the transaction: finds what uses records that are to be deleted, by their ids. */
  findUses?: (rows: readonly Row[], caller: Caller) => Promise<ReadonlyMap<number, RecordUse>>
  /** Where deleted records are kept to be restored. Without it they are deleted for good. */
  trash?: Trash<Row>
}

/** Keeps the deleted records of a resource. */
export interface Trash<Row extends RecordRow> {
  records: DeletedRecords
  /**
   * In the transaction, before a deleted record is written back: checks whether it still fits. An AppError fails this item
   * alone. Returns the columns that have to change, and why.
   */
  beforeRestore?: (
    tx: Transaction<object>,
    restored: RestoredItem<Row>,
  ) => MaybePromise<{ columns: Partial<Row>; warnings: readonly string[] } | undefined>
  /** In the transaction, after a deleted record was written back: writes what belongs to it. Returns what did not fit. */
  afterRestore?: (
    tx: Transaction<object>,
    restored: RestoredItem<Row>,
  ) => MaybePromise<readonly string[]>
}

/** What uses a record that is to be deleted. */
export interface RecordUse {
  /** The error without force (`conflict`): it names what uses the record, and how to force. Undefined where none is needed. */
  refusal?: AppError
  /** What uses it, for the answer where it is deleted all the same. */
  consequence: Consequence
}

/** A record that is being deleted. */
export interface ItemToRemove<Row extends RecordRow> {
  current: Row
  caller: Caller
  /** Whether it can be restored. */
  isKept: boolean
}

/** What a deletion changes besides the record, as sentences. */
export interface Consequence {
  /** For a dry run: `1 email loses it.` */
  planned: string
  /** For the deletion: `It was assigned to 1 email.` */
  done: string
}

/** Joins consequences; undefined for none. */
export function joinConsequences(
  consequences: readonly (Consequence | undefined)[],
): Consequence | undefined {
  const all = consequences.filter((each) => each !== undefined)
  if (all.length === 0) return undefined
  return {
    planned: all.map(({ planned }) => planned).join(' '),
    done: all.map(({ done }) => done).join(' '),
  }
}

/** What a deletion releases. */
export interface Released {
  consequence?: Consequence | undefined
  /** As JSON data, for restoring it. */
  related?: unknown
}

/** A deleted record that is being restored. */
export interface RestoredItem<Row extends RecordRow> {
  row: Row
  /** What `beforeRemove` returned. */
  related: unknown
}

/** Some of the records of a resource; for callers with this scope there are no others. */
export interface RecordScope<Row extends RecordRow> {
  includes: (row: Row) => boolean
  /** The same as a condition of a query. */
  condition: RawBuilder<unknown>
}

/** Whether a record exists for a caller. */
export function existsFor<Row extends RecordRow>(
  { access }: { access?: Pick<ResourceAccess<Row>, 'scopeOf'> },
  row: Row,
  caller: Caller,
): boolean {
  return access?.scopeOf?.(caller)?.includes(row) ?? true
}

/** Creating a record with the identity of another one changes that one instead. */
export interface ResourceIdentity<Input> {
  /** What the identity is called: `email`. */
  name: string
  /** The value of the store's identity column for an input with its brand; null for none. */
  of: (input: Input) => string | null
  /** The error for an edit that gives a record the identity of another one, which has this id. */
  taken: (id: number, value: string) => AppError
}

/** One item of a change, before the transaction. */
export interface ItemToPrepare<Row extends RecordRow, Input> {
  /** All values; of a PATCH, the given ones over those of `toInput`. */
  input: Input
  /** The record as it will be when the item is written; undefined where it is new. */
  current: Row | undefined
  mode: 'patch' | 'put'
  /** What the same transaction writes before this item. */
  pending: readonly PendingRow<Row>[]
  /** How many faults of this item its error lists; see `faultsPerItem`. */
  faultsMax: number
  caller: Caller
}

/** How many faults the answer to one request lists in detail, and how many of one item. */
const faultsMax = { request: 2_000, item: 200 }

/** How many faults of one item are listed, so that a request of many items neither searches nor keeps faults without end. */
export function faultsPerItem(items: number): number {
  return Math.max(1, Math.min(faultsMax.item, Math.floor(faultsMax.request / items)))
}

/** A record that the same request is about to write; a new one has no id yet. */
export type PendingRow<Row extends RecordRow> = OwnColumns<Row> & { id: number | undefined }

/** The columns that an item is to have. */
export interface Prepared<Row extends RecordRow, Item> {
  columns: OwnColumns<Row>
  /** Members that only the answer to this change has, such as a new secret. */
  shownOnce?: Partial<Item> | undefined
  /**
   * Whether the other stored data that the columns depend on is unchanged; left out where they depend on none. If it has
   * changed, the item is prepared again. Runs in the transaction; `ownIds` are the records that it has written itself.
   */
  isCurrent?: (tx: Transaction<object>, ownIds: ReadonlySet<number>) => MaybePromise<boolean>
}

/** One item of a change that is tested before it is written. */
export interface ItemToTest<Row extends RecordRow> {
  /** Exactly these are written if the test passes. */
  columns: OwnColumns<Row>
  /** The record that the item was prepared for; undefined where it is new. */
  current: Row | undefined
  caller: Caller
  /** Stops the test. */
  signal: AbortSignal
}

/** Writes the result of a test, in the transaction, after the record with this id. */
export type WriteTest = (tx: Transaction<object>, id: number) => Promise<void>

/** One item of a change, in the transaction. */
export interface ItemToWrite<Row extends RecordRow, Input> {
  input: Input
  columns: OwnColumns<Row>
  current: Row | undefined
  caller: Caller
}

/** Records that were just written, with the inputs that they were written for. */
export interface WrittenItems<Row extends RecordRow, Input> {
  rows: readonly Row[]
  inputs: readonly Input[]
  /** The record before its edit; undefined where the records are new. */
  before: Row | undefined
  caller: Caller
}

export interface ChangedRow<Row extends RecordRow> {
  row: Row
  isNew: boolean
  /** See `Prepared`. */
  shownOnce?: unknown
  /** What a deletion released, or what a restoration could not bring back, as sentences. */
  consequence?: string | undefined
}

/** How many items one transaction writes, unless the request is atomic. */
export const itemsPerTransaction = 200
