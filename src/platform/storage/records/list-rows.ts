import { type RawBuilder, sql } from 'kysely'
import { type Caller, callerKey, ownUserId } from '../../../kit/caller.ts'
import type { ListConditions } from '../database.ts'
import type { ListReads } from '../list-reads.ts'
import type { Storage } from '../storage.ts'
import type { Comparison, FieldType, Filter, ListQuery } from './list-query.ts'

/** Rows in one page, at most: few enough not to block the event loop, many enough to be quick. */
const pageRowsMax = 250
/** Bytes of long texts in one page, unless one row has more. */
const pageBytesMax = 1_048_576
/** How many rows are found by one statement, before they are read page by page. */
const positionsMax = 2_000

/** A field of the API that a list may be ordered and filtered by, and the column behind it. */
export interface ListField {
  column: string
  type: FieldType
  /** What the field is compared by, where it is not a short column of the table: of a text the first 1,000 characters. */
  expression?: RawBuilder<unknown>
}

/** A table that can be listed: its fields by their API names, and the column that holds the name. */
export interface ListTable {
  table: string
  fields: Readonly<Record<string, ListField>>
  nameColumn: string
  /** Columns besides those of the fields whose texts may be long. */
  largeColumns?: readonly string[]
  /** What is listed, where it is not the table itself: a query in brackets that has the columns of a record. */
  from?: RawBuilder<unknown>
}

/** What a list selects from. */
function sourceOf({ table, from }: ListTable): RawBuilder<unknown> {
  return from === undefined ? sql`${sql.table(table)}` : sql`${from} as ${sql.table(table)}`
}

/** Who reads a list; `is:mine` finds their records. */
export type ListCaller = Pick<Caller, 'userId' | 'clientId' | 'clientName' | 'mautic'>

/** Which rows a list has, and who reads it. */
export interface ListRequest {
  query: ListQuery
  caller: ListCaller
  /** Which rows exist for the caller. Default: all. */
  scope?: RawBuilder<unknown> | undefined
}

/** A list that is read page by page. */
export interface RowList<Row> {
  /** How many rows match, whatever `start` and `limit` say. */
  count(): Promise<number>
  /** Reads each page where the last one ended, so that memory stays flat. */
  pages(): AsyncGenerator<Row[]>
}

/** Runs a list query over a table. Throws where the query names a field that the table does not have. */
export function listRows<Row extends { id: number }>(
  storage: Pick<Storage, 'lists'>,
  table: ListTable,
  { query, caller, scope }: ListRequest,
): RowList<Row> {
  const isPlain = isWhole(query.filter)
  const reads = storage.lists<unknown>(callerKey(caller), isPlain)
  const filter = isPlain ? [] : [compileFilter(query.filter, { ...table, caller, reads })]
  const conditions = scope === undefined ? filter : [scope, ...filter]
  const where = conditions.length === 0 ? undefined : sql`${sql.join(conditions, sql` and `)}`
  const list: List = { reads, table, query, where }
  return { count: () => countRows(list), pages: () => readPages<Row>(list) }
}

/** A list whose query is compiled. */
interface List {
  reads: ListReads<unknown>
  table: ListTable
  query: ListQuery
  /** Undefined for all rows. */
  where: RawBuilder<unknown> | undefined
}

/** Whether a filter excludes no row. */
function isWhole(filter: Filter): boolean {
  return filter.op === 'and' && filter.of.every(isWhole)
}

async function countRows({ reads, table, where }: List): Promise<number> {
  // Databases count all rows of a table without looking at them.
  const condition =
    where === undefined && table.from === undefined
      ? sql``
      : sql`where ${reads.isInTime} and ${where ?? sql`1 = 1`}`
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from ${sourceOf(table)} ${condition}`.execute(reads.db)
  return rows[0]?.total ?? 0
}

/** Where a row is in the list, and the bytes of its long texts. */
type Position = { id: number; size: number } & Record<`order_${number}`, unknown>

interface SortKey {
  expression: RawBuilder<unknown>
  direction: 'asc' | 'desc'
  alias: `order_${number}`
}

async function* readPages<Row extends { id: number }>(list: List): AsyncGenerator<Row[]> {
  let remaining = list.query.limit ?? Number.POSITIVE_INFINITY
  let after: Position | undefined
  while (remaining > 0) {
    const count = Math.min(positionsMax, remaining)
    const positions = await findPositions(list, after, count)
    for (const ids of cutIntoPages(positions)) {
      const rows = await readRows<Row>(list, ids)
      if (rows.length > 0) yield rows
      remaining -= rows.length
    }
    if (positions.length < count) return
    after = positions.at(-1)
  }
}

/** Finds the next rows of a list, without reading them: what is sorted is small, and sorted once for many pages. */
async function findPositions(
  { reads, table, query, where }: List,
  after: Position | undefined,
  count: number,
): Promise<Position[]> {
  const keys = sortKeys(table, query, reads)
  const columns = keys.map(({ expression, alias }) => sql`${expression} as ${sql.ref(alias)}`)
  const order = keys.map(({ expression, direction }) => sql`${expression} ${sql.raw(direction)}`)
  const conditions = [
    reads.isInTime,
    ...(where === undefined ? [] : [where]),
    ...(after === undefined ? [] : [afterRow(keys, after)]),
  ]
  const { rows } = await sql<Position>`
    select id, ${sizeOf(table)} as size, ${sql.join(columns)} from ${sourceOf(table)}
    where ${sql.join(conditions, sql` and `)}
    order by ${sql.join(order)} limit ${count} offset ${after === undefined ? query.start : 0}`.execute(
    reads.db,
  )
  return rows
}

/** The bytes of the texts that may be long; databases know them without reading the texts. */
function sizeOf({ fields, largeColumns = [] }: ListTable): RawBuilder<unknown> {
  const ownTexts = Object.values(fields).filter(
    ({ type, expression }) => type === 'text' && expression === undefined,
  )
  const columns = new Set([...ownTexts.map(({ column }) => column), ...largeColumns])
  const sizes = [...columns].map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`)
  return sizes.length === 0 ? sql`0` : sql`(${sql.join(sizes, sql` + `)})`
}

/** The ids of each page: of a few rows, with little text. */
function* cutIntoPages(positions: readonly Position[]): Generator<number[]> {
  let page: number[] = []
  let bytes = 0
  for (const { id, size } of positions) {
    if (page.length >= pageRowsMax || (page.length > 0 && bytes + size > pageBytesMax)) {
      yield page
      page = []
      bytes = 0
    }
    page.push(id)
    bytes += size
  }
  if (page.length > 0) yield page
}

/** Reads the rows of a page in its order; those that are deleted meanwhile are left out. */
async function readRows<Row extends { id: number }>(
  { reads, table }: List,
  ids: readonly number[],
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from ${sourceOf(table)} where id in (${sql.join(ids)})`.execute(reads.db)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function sortKeys(table: ListTable, query: ListQuery, reads: ListConditions): SortKey[] {
  const chosen = query.order.map(({ field, direction }, index): SortKey => {
    const compared = comparable(getField(table, field))
    const expression = field === 'name' ? reads.natural(compared) : compared
    return { expression, direction, alias: `order_${index}` }
  })
  const id: SortKey = {
    expression: sql.ref('id'),
    direction: 'asc',
    alias: `order_${chosen.length}`,
  }
  return [...chosen, id]
}

/** A column for comparisons: nulls become empty values, and the case of ASCII letters does not matter. */
function comparable(field: ListField): RawBuilder<unknown> {
  const { column, type, expression } = field
  const ref = expression ?? sql.ref(column)
  if (type === 'text' && expression !== undefined) return searched(field)
  if (type === 'text') return sql`lower(coalesce(${ref}, ''))`
  if (type === 'boolean') return sql`case when ${ref} then 1 else 0 end`
  return sql`coalesce(${ref}, 0)`
}

/** (a, b, id) after (x, y, z), each with its own direction: a after x, or a = x and b after y, or … */
function afterRow(keys: SortKey[], row: Position): RawBuilder<unknown> {
  const steps = keys.map((key, index) => {
    const equal = keys
      .slice(0, index)
      .map(({ expression, alias }) => sql`${expression} = ${row[alias]}`)
    const sign = sql.raw(key.direction === 'asc' ? '>' : '<')
    const beyond = sql`${key.expression} ${sign} ${row[key.alias]}`
    return sql`(${sql.join([...equal, beyond], sql` and `)})`
  })
  return sql`(${sql.join(steps, sql` or `)})`
}

const signs: Record<Comparison, string> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  like: 'like',
  notLike: 'not like',
}

type FilterContext = ListTable & { caller: ListCaller; reads: ListConditions }

function compileFilter(filter: Filter, context: FilterContext): RawBuilder<unknown> {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const parts = filter.of.map((part) => compileFilter(part, context))
      if (parts.length === 0) return filter.op === 'and' ? sql`1 = 1` : sql`1 = 0`
      return sql`(${sql.join(parts, sql.raw(` ${filter.op} `))})`
    }
    case 'not':
      return sql`not ${compileFilter(filter.of, context)}`
    case 'text':
      return context.reads.contains(sql.ref('search_text'), filter.text)
    case 'name':
      return sql`lower(${sql.ref(context.nameColumn)}) = lower(${filter.text})`
    case 'ids':
      return filter.ids.length === 0 ? sql`1 = 0` : sql`id in (${sql.join(filter.ids)})`
    case 'mine':
      return sql`coalesce(created_by_id, 0) = ${ownUserId(context.caller) ?? -1}`
    case 'null': {
      const { column, expression } = getField(context, filter.field)
      return sql`${expression ?? sql.ref(column)} is null`
    }
    case 'has': {
      const { column, expression } = getField(context, filter.field)
      // As JSON.stringify writes it, a text contains no quotation mark that is not escaped.
      return context.reads.contains(expression ?? sql.ref(column), JSON.stringify(filter.value))
    }
    case 'in': {
      if (filter.values.length === 0) return sql`1 = 0`
      const field = getField(context, filter.field)
      return sql`${comparable(field)} in (${sql.join(filter.values.map(comparableValue))})`
    }
    default: {
      const field = getField(context, filter.field)
      const sign = sql.raw(signs[filter.op])
      const isLike = filter.op === 'like' || filter.op === 'notLike'
      const escaping = sql.raw(isLike ? String.raw` escape '\'` : '')
      const left = isLike ? searched(field) : comparable(field)
      return sql`${left} ${sign} ${comparableValue(filter.value)}${escaping}`
    }
  }
}

/** Descriptions may be long; a filter looks into their first characters only. */
const searchedLength = 1_000

function searched({ column, expression }: ListField): RawBuilder<unknown> {
  const text = sql`substr(${expression ?? sql.ref(column)}, 1, ${sql.lit(searchedLength)})`
  return sql`lower(coalesce(${text}, ''))`
}

function comparableValue(value: string | number | boolean): RawBuilder<unknown> {
  return typeof value === 'string' ? sql`lower(${value})` : sql`${Number(value)}`
}

function getField(table: ListTable, name: string): ListField {
  const field = Object.hasOwn(table.fields, name) ? table.fields[name] : undefined
  if (field === undefined) throw new Error(`Table ${table.table} has no field "${name}".`)
  return field
}
