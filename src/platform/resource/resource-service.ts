import type { FaultDetails } from '../../kit/app-error.ts'
import type { BatchItemResult } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import type { ListQuery, RowList } from '../storage/index.ts'

/** One record of a resource, as the API returns it to this caller. */
export interface Entry<Item> {
  item: Item
  /** The entity tag. It grows with each edit. */
  revision: number
  /** Whether the request created it. */
  isNew: boolean
  /** What a deletion released, or what a restoration could not bring back, as sentences. */
  consequence?: string | undefined
}

/** The author of a change, and whether it is all or nothing. */
export interface ChangeContext {
  caller: Caller
  isAtomic: boolean
}

/** The author of a creation or an edit, and whether it depends on a test. */
export interface SaveContext extends ChangeContext {
  /**
   * Tests each item before it is saved; an item whose test fails is not saved. `signal` stops the tests, and then nothing is
   * saved. Only for a resource that has a test. Default: saves without a test.
   */
  ifTestPasses?: { signal: AbortSignal } | undefined
}

/** The revisions that the caller has seen; undefined for any. A change of a record with another revision is refused. */
export type SeenRevisions = readonly number[] | undefined

/** The author of a deletion, and how records are deleted. */
export interface RemovalContext extends ChangeContext {
  /** Deletes for good, also records that are deleted already. Default: they can be restored for some time. */
  isErasing?: boolean
  /** Deletes what is in use as well. */
  isForced?: boolean
  /** Answers what would be deleted, and changes nothing. */
  isDryRun?: boolean
}

/** A record that was deleted and can be restored. */
export type DeletedItem<Item> = Item & { dateDeleted: string; deletedBy: string }

export interface DeletedEntries<Item> {
  list: (query: ListQuery, caller: Caller) => RowList<DeletedItem<Item>>
  /** Writes back deleted records with their ids. `consequence` says what could not be restored. */
  restore: (
    ids: readonly number[],
    context: ChangeContext,
  ) => Promise<BatchItemResult<Entry<Item>>[]>
}

export interface EntryRemoval {
  id: number
  seen?: SeenRevisions
}

/** A record that is to be created (without an id) or changed. */
export type ItemRequest<Input> = { id?: number; seen?: SeenRevisions } & (
  | { mode: 'patch'; values: Partial<Input> }
  | { mode: 'put'; values: Input }
)

/** A change of one record: of some values (`patch`), or of all (`put`), which creates a missing record. */
export type EntryChange<Input> = ItemRequest<Input> & { id: number }

/** What values are looked at for. */
export interface FaultContext {
  /** The record that they change; undefined for a new one. */
  id: number | undefined
  /** See `faultsPerItem`. */
  faultsMax: number
  caller: Caller
}

/**
 * The service behind the routes of a resource. Changes take many items and return one result for each, in order. An item
 * that fails stops no other, unless the change is atomic; a successful result is committed.
 */
export interface ResourceService<Item, Input> {
  list: (query: ListQuery, caller: Caller) => RowList<Item>
  /**
   * Finds the faults of single values, whatever type they have. It is called where other values are invalid already, to list all
   * faults. Values without a fault may still be refused later.
   */
  findFaults: (
    values: Readonly<Record<string, unknown>>,
    context: FaultContext,
  ) => Promise<FaultDetails>
  /** Throws an AppError (`not_found`). */
  get: (id: number, caller: Caller) => MaybePromise<Entry<Item>>
  create: (
    inputs: readonly Input[],
    context: SaveContext,
  ) => Promise<BatchItemResult<Entry<Item>>[]>
  edit: (
    changes: readonly EntryChange<Input>[],
    context: SaveContext,
  ) => Promise<BatchItemResult<Entry<Item>>[]>
  /** Returns the records as they were. */
  remove: (
    removals: readonly EntryRemoval[],
    context: RemovalContext,
  ) => Promise<BatchItemResult<Entry<Item>>[]>
  /** Undefined where records are deleted for good. */
  deleted?: DeletedEntries<Item> | undefined
}
