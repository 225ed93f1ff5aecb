/** What a list is asked for, in the API's field names; how it is parsed and how it is run are others' affairs. */
export interface ListQuery {
  /** How many entries to pass over. */
  start: number
  /** Undefined for all. */
  limit: number | undefined
  filter: Filter
  /** The most significant first; ties are in id order. */
  order: readonly Order[]
}

export interface Order {
  field: string
  direction: 'asc' | 'desc'
}

export type Comparison = 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte' | 'like' | 'notLike'

/** Which entries a list holds. */
export type Filter =
  | { op: 'and' | 'or'; of: readonly Filter[] }
  | { op: 'not'; of: Filter }
  /** The entry's searchable text holds this, whatever its case. */
  | { op: 'text'; text: string }
  /** The entry's name is this, whatever its case. */
  | { op: 'name'; text: string }
  | { op: 'ids'; ids: readonly number[] }
  /** Made by the caller. */
  | { op: 'mine' }
  | { op: 'null'; field: string }
  | { op: 'in'; field: string; values: readonly (string | number | boolean)[] }
  | { op: Comparison; field: string; value: string | number | boolean }

/** What a field holds: how its values are read from text and compared. */
export type FieldType = 'text' | 'number' | 'boolean' | 'date'

/** Everything there is, in id order. */
export const wholeList: ListQuery = {
  start: 0,
  limit: undefined,
  filter: { op: 'and', of: [] },
  order: [],
}
