/** A query of a list, in the field names of the API. `resource/` parses it, `listRows` runs it. */
export interface ListQuery {
  /** How many rows to skip. */
  start: number
  /** How many rows to return; undefined for all. */
  limit: number | undefined
  filter: Filter
  /** The most significant first. Ties are in id order. */
  order: readonly Order[]
}

export interface Order {
  field: string
  direction: 'asc' | 'desc'
}

export type Comparison = 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte' | 'like' | 'notLike'

/** A condition on the rows of a list. */
export type Filter =
  | { op: 'and' | 'or'; of: readonly Filter[] }
  | { op: 'not'; of: Filter }
  /** The searchable text of the row contains this, in any letter case. */
  | { op: 'text'; text: string }
  /** The name of the row is this, in any letter case. */
  | { op: 'name'; text: string }
  | { op: 'ids'; ids: readonly number[] }
  /** Created by the caller. */
  | { op: 'mine' }
  | { op: 'null'; field: string }
  /** The field is a JSON list, and this is one of its texts. */
  | { op: 'has'; field: string; value: string }
  | { op: 'in'; field: string; values: readonly (string | number | boolean)[] }
  | { op: Comparison; field: string; value: string | number | boolean }

/** The type of a field: how its values are parsed and compared. */
export type FieldType = 'text' | 'number' | 'boolean' | 'date'
