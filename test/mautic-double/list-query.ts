import type { Json } from './recordings.ts'

/** A condition of `where[0][col]=…`. */
interface Condition {
  col: string
  expr: string
  val: string
}

/** A list as Mautic answers it, before it is keyed. */
export interface ListAnswer {
  total: number
  rows: Json[]
}

const limitDefault = 30

/** Filters, orders and cuts a list as the recordings show it. Returns undefined where Mautic answers 500. */
export function queryList(
  rows: Iterable<Json>,
  query: URLSearchParams,
  read: (row: Json, column: string) => unknown,
): ListAnswer | undefined {
  const conditions = readConditions(query)
  if (conditions.some(({ expr }) => !(expr in comparisons))) return undefined
  const search = query.get('search')
  const found = [...rows].filter(
    (row) =>
      conditions.every((condition) => matches(read(row, condition.col), condition)) &&
      (search === null || isFound(row, search, read)),
  )
  const orderBy = query.get('orderBy') ?? query.get('order[0][col]')
  if (orderBy !== null) {
    const isDescending = (query.get('orderByDir') ?? query.get('order[0][dir]')) === 'DESC'
    found.sort((one, other) => compare(read(one, orderBy), read(other, orderBy)))
    if (isDescending) found.reverse()
  }
  const start = Number(query.get('start') ?? 0)
  const limit = Number(query.get('limit') ?? limitDefault)
  const end = limit === 0 ? undefined : start + limit
  return { total: found.length, rows: found.slice(start, end) }
}

function readConditions(query: URLSearchParams): Condition[] {
  const conditions: Condition[] = []
  for (let index = 0; query.has(`where[${index}][col]`); index += 1) {
    const part = (name: string) => query.get(`where[${index}][${name}]`) ?? ''
    conditions.push({ col: part('col'), expr: part('expr'), val: part('val') })
  }
  return conditions
}

const comparisons: Record<string, (order: number) => boolean> = {
  eq: (order) => order === 0,
  in: (order) => order === 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

function matches(value: unknown, { expr, val }: Condition): boolean {
  if (value === null || value === undefined) return false
  const given = expr === 'in' ? val.split(',') : [val]
  return given.some((one) => comparisons[expr]?.(compare(value, one)) === true)
}

/** Dates are compared in Mautic's form, `2026-11-22 14:00:00` (UTC). */
function compare(value: unknown, other: unknown): number {
  if (typeof value === 'number') return value - Number(other)
  const [one, two] = [plainDate(value), plainDate(other)]
  return one < two ? -1 : one > two ? 1 : 0
}

function plainDate(value: unknown): string {
  return String(value).replace('T', ' ').replace('+00:00', '')
}

function isFound(row: Json, search: string, read: (row: Json, column: string) => unknown): boolean {
  const [, name, text] = /^(\w+):(.*)$/s.exec(search) ?? []
  if (name === 'ids') return text?.split(',').includes(String(row.id)) === true
  if (name !== undefined) return read(row, name) === text
  return String(row.name).includes(search)
}
