import type { FaultDetails } from '../../kit/app-error.ts'
import type { Filter, ListQuery, Order } from '../../kit/list-query.ts'
import { validationError } from '../validation.ts'
import { checkFilterSize, filterTooLarge } from './filter-size.ts'
import { flagFault, readFlag } from './query-flag.ts'
import { parseSearch } from './search.ts'
import { type AddFault, type ListFields, parseWhere } from './where.ts'

/** How many reasons are given for one parameter. */
const reasonsMax = 20

/** More fields than any list can be ordered by. */
const orderMax = 100

/** What a list has where the query does not say. */
export interface ListDefaults {
  fields: ListFields
  /** Undefined for all. */
  limit: number | undefined
}

type Query = Readonly<Record<string, unknown>>

/** Reads the query of a list as Mautic does; throws one AppError (`invalid`) with every fault. */
export function parseListQuery(query: Query, { fields, limit }: ListDefaults): ListQuery {
  const details: FaultDetails = {}
  const addFault: AddFault = (parameter, reason) => {
    const reasons = details[parameter] ?? []
    if (reasons.length < reasonsMax) details[parameter] = [...reasons, reason]
  }
  const read = createReader(query, addFault)
  const listQuery: ListQuery = {
    start: read.number('start') ?? 0,
    limit: readLimit(read.number('limit'), limit),
    filter: readFilter(query, fields, { read, addFault }),
    order: readOrder(query, fields, { read, addFault }),
  }
  if (Object.keys(details).length > 0) throw validationError(details)
  checkFilterSize(listQuery.filter)
  return listQuery
}

/** Zero is all, as in Mautic. */
function readLimit(asked: number | undefined, fallback: number | undefined): number | undefined {
  if (asked === undefined) return fallback
  return asked === 0 ? undefined : asked
}

interface Reader {
  text(name: string): string | undefined
  number(name: string): number | undefined
  boolean(name: string): boolean | undefined
}

interface Reading {
  read: Reader
  addFault: AddFault
}

/** An empty parameter is one that is not given. */
function createReader(query: Query, addFault: AddFault): Reader {
  const text = (name: string): string | undefined => {
    const value = query[name]
    if (value === undefined || value === '') return undefined
    if (typeof value === 'string') return value
    addFault(name, 'must be given once')
    return undefined
  }
  return {
    text,
    number(name) {
      const value = text(name)
      if (value === undefined) return undefined
      if (/^\d{1,15}$/.test(value)) return Number(value)
      addFault(name, 'must be a whole number, 0 or more')
      return undefined
    },
    boolean(name) {
      const value = text(name)
      if (value === undefined) return undefined
      const flag = readFlag(value)
      if (flag === undefined) addFault(name, flagFault)
      return flag
    },
  }
}

function readFilter(query: Query, fields: ListFields, { read, addFault }: Reading): Filter {
  const filters: Filter[] = []
  const search = read.text('search')
  if (search !== undefined) {
    const isTextField = (name: string) =>
      Object.hasOwn(fields, name) && fields[name]?.type === 'text'
    filters.push(parseSearch(search, { isTextField }))
  }
  // Mautic's documentation and client say publishedOnly, its server reads published.
  if (read.boolean('published') ?? read.boolean('publishedOnly')) {
    filters.push({ op: 'eq', field: 'isPublished', value: true })
  }
  if (query['where'] !== undefined) filters.push(parseWhere(query['where'], fields, addFault))
  return { op: 'and', of: filters }
}

function readOrder(query: Query, fields: ListFields, reading: Reading): Order[] {
  if (query['order'] !== undefined) return readOrderList(query['order'], fields, reading.addFault)
  const direction = readDirection(reading.read.text('orderByDir'), 'orderByDir', reading.addFault)
  const names = reading.read.text('orderBy')?.split(',') ?? (direction === 'desc' ? ['id'] : [])
  checkOrder(names)
  const order = names.map((name) => ({
    field: readField(name, 'orderBy', { fields, ...reading }),
    direction,
  }))
  return withoutRepeats(order)
}

function checkOrder(fields: readonly unknown[]): void {
  if (fields.length > orderMax) throw filterTooLarge(`more than ${orderMax} fields to order by`)
}

/** A field that was ordered by already orders nothing more; and databases take only so many. */
function withoutRepeats(order: readonly Order[]): Order[] {
  const seen = new Set<string>()
  return order.filter(({ field }) => {
    if (seen.has(field)) return false
    seen.add(field)
    return true
  })
}

/** `order[0][col]=name&order[0][dir]=DESC` */
function readOrderList(value: unknown, fields: ListFields, addFault: AddFault): Order[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) addFault('order', 'must be a list with col and dir')
  checkOrder(entries)
  const order = entries.map(([key, entry]): Order => {
    const { col, dir } = (entry ?? {}) as Record<string, unknown>
    const name = `order[${key}]`
    return {
      field: readField(String(col), name, { fields, addFault }),
      direction: readDirection(dir, name, addFault),
    }
  })
  return withoutRepeats(order)
}

function readField(
  name: string,
  parameter: string,
  { fields, addFault }: { fields: ListFields; addFault: AddFault },
): string {
  // Mautic's clients may write the table's alias first: `e.name`.
  const field = name.trim().replace(/^[a-z]+\./, '')
  if (!Object.hasOwn(fields, field)) {
    addFault(parameter, `must be one of ${Object.keys(fields).join(', ')}`)
  }
  return field
}

function readDirection(value: unknown, parameter: string, addFault: AddFault): 'asc' | 'desc' {
  const direction = typeof value === 'string' ? value.toLowerCase() : (value ?? 'asc')
  if (direction === 'asc' || direction === 'desc') return direction
  addFault(parameter, 'must be ASC or DESC')
  return 'asc'
}
