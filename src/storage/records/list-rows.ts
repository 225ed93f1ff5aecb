import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Comparison, FieldType, Filter, ListQuery } from '../../kit/list-query.ts'

/** How many rows are read at once, at most: few enough to hold nobody up, many enough to be quick. */
const pageSizeMax = 250
/** The next pages are twice as large each time: what has not been run before takes several times as long. */
const firstPageSize = 25
/** About how many characters a page has: templates may be long. */
const pageLength = 2_000_000
/** Where no index has the order, the ids of all after the first pages are put in order, so many at once. */
const idsAtOnce = 10_000
const pagesBeforeIds = 4

/** A field of the API that a list may be ordered and filtered by, and the column behind it. */
export interface ListField {
  column: string
  type: FieldType
}

/** What can be listed: the table, its fields by their API names, and which of them is the name. */
export interface ListTable {
  table: string
  fields: Readonly<Record<string, ListField>>
  nameColumn: string
}

/** Who asks, as far as `is:mine` is concerned. */
export interface ListReader {
  userId: number | undefined
}

/** A list that is about to be read. */
export interface RowList<Row> {
  /** How many rows match, whatever `start` and `limit` say. */
  count(): Promise<number>
  /** The rows, page by page, each page where the last one ended: memory stays flat and so does the cost of a page. */
  pages(): AsyncGenerator<Row[]>
}

/** Runs a list query over a table. Its fields must be those of `table`; a parser has seen to that. */
export function listRows<Row extends object>(
  db: QueryExecutorProvider,
  table: ListTable,
  request: { query: ListQuery; reader: ListReader },
): RowList<Row> {
  const where = compileFilter(request.query.filter, { ...table, reader: request.reader })
  return {
    async count() {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from ${sql.table(table.table)} where ${where}`.execute(db)
      return rows[0]?.total ?? 0
    },
    pages: () => readPages<Row>(db, table, { query: request.query, where }),
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
  for (let page = 1; remaining > 0; page++) {
    // No index has another order than that of the ids, so that each page costs a look at all rows.
    const isOnlyIds = keys.length > 1 && page > pagesBeforeIds
    const size = Math.min(isOnlyIds ? idsAtOnce : sizeMax, remaining)
    const { rows } = await sql<Keyed<Row & { id: number }>>`
      select ${sql.raw(isOnlyIds ? 'id' : '*')}, ${sql.join(columns)} from ${sql.table(table.table)}
      where ${where} and ${after}
      order by ${sql.join(order)} limit ${size} offset ${offset}`.execute(db)
    const whole = isOnlyIds
      ? readInOrder<Row>(db, { table, where, ids: rows.map(({ id }) => id) }, sizeMax)
      : [rows]
    for await (const some of whole) {
      if (some.length > 0) yield some
      remaining -= some.length
      sizeMax = sizeAfter(some, sizeMax)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return
    after = afterRow(keys, last)
    offset = 0
  }
}

/** How many rows the next page may have, after this one. */
function sizeAfter(page: readonly object[], size: number): number {
  if (page.length === 0) return size
  let length = 0
  for (const row of page)
    for (const value of Object.values(row)) length += typeof value === 'string' ? value.length : 0
  const fitting = Math.floor((page.length * pageLength) / length)
  return Math.max(1, Math.min(size * 2, pageSizeMax, fitting))
}

/** The rows of the ids, in their order, as far as they are still there. */
async function* readInOrder<Row extends object>(
  db: QueryExecutorProvider,
  { table, where, ids }: { table: ListTable; where: RawBuilder<unknown>; ids: readonly number[] },
  firstSize: number,
): AsyncGenerator<Row[]> {
  let size = firstSize
  for (let start = 0, count = 0; start < ids.length; start += count) {
    const some = ids.slice(start, start + size)
    count = some.length
    const { rows } = await sql<Row & { id: number }>`
      select * from ${sql.table(table.table)} where ${where} and id in (${sql.join(some)})`.execute(
      db,
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    const page = some.flatMap((id) => byId.get(id) ?? [])
    yield page
    size = sizeAfter(page, size)
  }
}

function sortKeys(table: ListTable, query: ListQuery): SortKey[] {
  const chosen = query.order.map(({ field, direction }, index): SortKey => {
    const { column, type } = getField(table, field)
    return { expression: comparable(column, type), direction, alias: `order_${index}` }
  })
  const id: SortKey = {
    expression: sql.ref('id'),
    direction: 'asc',
    alias: `order_${chosen.length}`,
  }
  return [...chosen, id]
}

/** Without nulls, which no comparison finds, and without regard to the case of ASCII letters. */
function comparable(column: string, type: FieldType): RawBuilder<unknown> {
  const ref = sql.ref(column)
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
      return sql`coalesce(created_by_id, 0) = ${context.reader.userId ?? -1}`
    case 'null':
      return sql`${sql.ref(getField(context, filter.field).column)} is null`
    case 'in': {
      if (filter.values.length === 0) return sql`1 = 0`
      const { column, type } = getField(context, filter.field)
      return sql`${comparable(column, type)} in (${sql.join(filter.values.map(comparableValue))})`
    }
    default: {
      const { column, type } = getField(context, filter.field)
      const sign = sql.raw(signs[filter.op])
      const isLike = filter.op === 'like' || filter.op === 'notLike'
      const escaping = sql.raw(isLike ? String.raw` escape '\'` : '')
      const left = isLike ? searched(comparable(column, type)) : comparable(column, type)
      return sql`${left} ${sign} ${comparableValue(filter.value)}${escaping}`
    }
  }
}

/** Descriptions may be long; what a search looks into is not. */
const searchedLength = 1_000

function searched(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`substr(${text}, 1, ${sql.lit(searchedLength)})`
}

function comparableValue(value: string | number | boolean): RawBuilder<unknown> {
  return typeof value === 'string' ? sql`lower(${value})` : sql`${Number(value)}`
}

function getField(table: ListTable, name: string): ListField {
  const field = Object.hasOwn(table.fields, name) ? table.fields[name] : undefined
  if (field === undefined) throw new Error(`"${name}" is no field of ${table.table}.`)
  return field
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`)
}
