import type { FaultDetails } from './app-error.ts'
import type { Caller } from './caller.ts'
import type { Eventual } from './eventual.ts'
import type { ListQuery } from './list-query.ts'
import type { Outcome } from './outcome.ts'

/** One entry of a resource, as the API gives it to this caller. */
export interface Entry<Item> {
  item: Item
  /** Grows with each edit; the entity tag. */
  revision: number
  /** Whether the request made it. */
  isNew: boolean
  /** Of a removal: what it changed besides, a sentence. */
  consequence?: string | undefined
}

/** A list that is about to be read. */
export interface EntryList<Item> {
  /** How many entries match, whatever `start` and `limit` say. */
  count(): Promise<number>
  /** The entries, page by page: memory stays flat however many there are. */
  pages(): AsyncIterable<readonly Item[]>
}

/** Who changes, and whether one item that fails undoes all. */
export interface ChangeContext {
  caller: Caller
  isAtomic: boolean
}

/** The revisions that the caller knows; undefined for any. A change is refused where it is at none of them. */
export type SeenRevisions = readonly number[] | undefined

/** The removal of one entry. */
export interface EntryRemoval {
  id: number
  seen?: SeenRevisions
}

/** A change of one entry: of some values, or of all, which makes the entry where there is none. */
export type EntryChange<Input> = {
  id: number
  seen?: SeenRevisions
} & ({ mode: 'patch'; values: Partial<Input> } | { mode: 'put'; values: Input })

/**
 * What stands behind the routes of a resource. Changes take many items and answer each, in order; an
 * item that fails stops no other, and what was answered well is committed.
 */
export interface ResourceService<Item, Input> {
  list: (query: ListQuery, caller: Caller) => EntryList<Item>
  /**
   * What is wrong with single values, whatever type they have; `id` names the entry that they are to
   * change. Asked where others are refused already; what is right by itself is no promise.
   */
  findFaults: (
    values: Readonly<Record<string, unknown>>,
    id: number | undefined,
  ) => Promise<FaultDetails>
  /** Throws an AppError (`not_found`). */
  get: (id: number, caller: Caller) => Eventual<Entry<Item>>
  create: (inputs: readonly Input[], context: ChangeContext) => Promise<Outcome<Entry<Item>>[]>
  edit: (
    changes: readonly EntryChange<Input>[],
    context: ChangeContext,
  ) => Promise<Outcome<Entry<Item>>[]>
  /** Answers with the entries as they were. */
  remove: (
    removals: readonly EntryRemoval[],
    context: ChangeContext,
  ) => Promise<Outcome<Entry<Item>>[]>
}
