import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { type Caller, ownUserId } from '../../kit/caller.ts'
import type { Comparison, FieldType, Filter, ListQuery } from './list-query.ts'

/** Rows in one page, at most: few enough not to block the event loop, many enough to be quick. */
const pageSizeMax = 250
/** Each page may have twice as many rows as the one before: the first run of new code takes several times as long. */
const firstPageSize = 25
/** About how many characters a page has: templates may be long. */
const pageLength = 2_000_000

/** A field of the API that a list may be ordered and filtered by, and the column behind it. */
export interface ListField {
  column: string
  type: FieldType
  /** What the field is compared by, where it is not a column of the table. */
  expression?: RawBuilder<unknown>
}

/** A table that can be listed: its fields by their API names, and the column that holds the name. */
export interface ListTable {
  table: string
  fields: Readonly<Record<string, ListField>>
  nameColumn: string
  /** What is listed, where it is not the table itself: a query in brackets that has the columns of a record. */
  from?: RawBuilder<unknown>
}

/** What a list selects from. */
function sourceOf({ table, from }: ListTable): RawBuilder<unknown> {
  return from === undefined ? sql`${sql.table(table)}` : sql`${from} as ${sql.table(table)}`
}

/** The user who reads a list; `is:mine` finds their records. */
export type ListReader = Pick<Caller, 'userId' | 'mautic'>

/** Which rows a list has, and the user who reads it. */
export interface ListRequest {
  query: ListQuery
  reader: ListReader
}

/** A list that is read page by page. */
export interface RowList<Row> {
  /** How many rows match, whatever `start` and `limit` say. */
  count(): Promise<number>
  /** Reads each page where the last one ended, so that memory stays flat. */
  pages(): AsyncGenerator<Row[]>
}

/** Runs a list query over a table. Throws where the query names a field that the table does not have. */
export function listRows<Row extends object>(
  db: QueryExecutorProvider,
  table: ListTable,
  { query, reader }: ListRequest,
): RowList<Row> {
  const where = compileFilter(query.filter, { ...table, reader })
  return {
    async count() {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from ${sourceOf(table)} where ${where}`.execute(db)
      return rows[0]?.total ?? 0
    },
    pages: () => readPages<Row>(db, table, { query, where }),
  }
}

type Keyed<Row> = Row & Record<`order_${number}`, unknown>

interface SortKey {
  expression: RawBuilder<unknown>
  direction: 'asc' | 'desc'
  alias: `order_${number}`
}

async function* readPages<Row extends object>(
  db: QueryExecutorProvider,
  table: ListTable,
  { query, where }: { query: ListQuery; where: RawBuilder<unknown> },
): AsyncGenerator<Row[]> {
  const keys = sortKeys(table, query)
  const columns = keys.map(({ expression, alias }) => sql`${expression} as ${sql.ref(alias)}`)
  const order = keys.map(({ expression, direction }) => sql`${expression} ${sql.raw(direction)}`)
  let after: RawBuilder<unknown> = sql`1 = 1`
  let offset = query.start
  let remaining = query.limit ?? Number.POSITIVE_INFINITY
  let sizeMax = firstPageSize
  while (remaining > 0) {
    const size = Math.min(sizeMax, remaining)
    const { rows } = await sql<Keyed<Row>>`
      select *, ${sql.join(columns)} from ${sourceOf(table)}
      where ${where} and ${after}
      order by ${sql.join(order)} limit ${size} offset ${offset}`.execute(db)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return
    remaining -= rows.length
    sizeMax = nextSize(rows, sizeMax)
    after = afterRow(keys, last)
    offset = 0
  }
}

/** How many rows the next page may have. */
function nextSize(page: readonly object[], size: number): number {
  let length = 0
  for (const row of page)
    for (const value of Object.values(row)) length += typeof value === 'string' ? value.length : 0
  const fitting = Math.floor((page.length * pageLength) / length)
  return Math.max(1, Math.min(size * 2, pageSizeMax, fitting))
}

function sortKeys(table: ListTable, query: ListQuery): SortKey[] {
  const chosen = query.order.map(({ field, direction }, index): SortKey => {
    const expression = comparable(getField(table, field))
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
function comparable({ column, type, expression }: ListField): RawBuilder<unknown> {
  const ref = expression ?? sql.ref(column)
  if (type === 'text') return sql`lower(coalesce(${ref}, ''))`
  if (type === 'boolean') return sql`case when ${ref} then 1 else 0 end`
  return sql`coalesce(${ref}, 0)`
}

/** (a, b, id) after (x, y, z), each with its own direction: a after x, or a = x and b after y, or … */
function afterRow<Row>(keys: SortKey[], row: Keyed<Row>): RawBuilder<unknown> {
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

type FilterContext = ListTable & { reader: ListReader }

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
      return sql`${searched(sql.ref('search_text'))} like ${`%${escapeLike(filter.text)}%`} escape '\\'`
    case 'name':
      return sql`lower(${sql.ref(context.nameColumn)}) = lower(${filter.text})`
    case 'ids':
      return filter.ids.length === 0 ? sql`1 = 0` : sql`id in (${sql.join(filter.ids)})`
    case 'mine':
      return sql`coalesce(created_by_id, 0) = ${ownUserId(context.reader) ?? -1}`
    case 'null': {
      const { column, expression } = getField(context, filter.field)
      return sql`${expression ?? sql.ref(column)} is null`
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
      const left = isLike ? searched(comparable(field)) : comparable(field)
      return sql`${left} ${sign} ${comparableValue(filter.value)}${escaping}`
    }
  }
}

/** Descriptions may be long; a search looks into their first characters only. */
const searchedLength = 1_000

function searched(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`substr(${text}, 1, ${sql.lit(searchedLength)})`
}

function comparableValue(value: string | number | boolean): RawBuilder<unknown> {
  return typeof value === 'string' ? sql`lower(${value})` : sql`${Number(value)}`
}

function getField(table: ListTable, name: string): ListField {
  const field = Object.hasOwn(table.fields, name) ? table.fields[name] : undefined
  if (field === undefined) throw new Error(`Table ${table.table} has no field "${name}".`)
  return field
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`)
}
