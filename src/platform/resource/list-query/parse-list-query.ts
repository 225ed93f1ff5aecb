import Type from 'typebox'
import { createQueryReader, type Query, type QueryReader, text } from '../../http/index.ts'
import type { Filter, ListQuery, Order } from '../../storage/index.ts'
import { checkFilterSize, filterTooLarge } from './filter-size.ts'
import { hasPublished, parseSearch } from './search.ts'
import { findField, type ListFields, parseWhere } from './where.ts'

/** More fields than any list is ordered by. */
const orderMax = 100

/** The query parameters of every list, for the OpenAPI document. `parseListQuery` reads them. */
export const listParameters = Type.Object(
  {
    start: text('How many entries to skip. Default 0.'),
    limit: text('How many entries to return; 0 for all.'),
    search: text(
      'Words that must be found; `"two words"`, `!not`, `+"exact name"`, `or`, `ids:1,2`, `is:published`, `is:unpublished`, `is:mine`, `name:text`.',
    ),
    orderBy: text('The fields to order by, separated by commas. Default: id.'),
    orderByDir: text('`ASC` (default) or `DESC`.'),
    published: text('`1` for published entries only.'),
    fields: text('The members that each entry keeps: `id,name`. All, if left out.'),
  },
  // Mautic's `minimal` changes nothing where fields have no groups.
  { alsoKnown: ['where', 'order', 'publishedOnly', 'minimal'] },
)

/** A query parameter that only one list has, such as `state`. */
export interface ListParameter {
  /** What the parameter must be, as the rest of a sentence about it. */
  fault: string
  /** Undefined for a text that it must not be. */
  toFilter: (text: string) => Filter | undefined
}

/** By the name of the parameter. */
export type ListParameters = Readonly<Record<string, ListParameter>>

/** The schemas of the query parameters that only one list has. */
export function describeParameters({ parameters = {} }: Pick<ListDefaults, 'parameters'>) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { fault }]) => [name, text(`It ${fault}.`)]),
  )
}

/** A query parameter that is one of a few words. */
export function oneOf(words: Readonly<Record<string, Filter>>): ListParameter {
  return {
    fault: `must be one of ${Object.keys(words).join(', ')}`,
    toFilter: (text) => (Object.hasOwn(words, text) ? words[text] : undefined),
  }
}

/** The fields of a list, and its limit where the query has none. */
export interface ListDefaults {
  fields: ListFields
  parameters?: ListParameters | undefined
  /** Undefined for all. */
  limit: number | undefined
}

/** Reads the query of a list as Mautic does; throws one AppError (`invalid`) with every fault. */
export function parseListQuery(
  query: Query,
  { fields, parameters = {}, limit }: ListDefaults,
): ListQuery {
  const read = createQueryReader(query)
  const listQuery: ListQuery = {
    start: read.number('start') ?? 0,
    limit: readLimit(read.number('limit'), limit),
    filter: readFilter(query, { fields, parameters }, read),
    order: readOrder(query, fields, read),
  }
  read.check()
  checkFilterSize(listQuery.filter)
  return listQuery
}

/** As in Mautic, zero is no limit. */
function readLimit(asked: number | undefined, fallback: number | undefined): number | undefined {
  if (asked === undefined) return fallback
  return asked === 0 ? undefined : asked
}

function readFilter(
  query: Query,
  { fields, parameters }: { fields: ListFields; parameters: ListParameters },
  read: QueryReader,
): Filter {
  const filters: Filter[] = []
  const search = read.text('search')
  if (search !== undefined) filters.push(parseSearch(search, fields))
  // Mautic's documentation and client say publishedOnly, its server reads published.
  if (hasPublished(fields) && (read.flag('published') ?? read.flag('publishedOnly'))) {
    filters.push({ op: 'eq', field: 'isPublished', value: true })
  }
  for (const [name, { fault, toFilter }] of Object.entries(parameters)) {
    const text = read.text(name)
    const filter = text === undefined ? undefined : toFilter(text)
    if (text !== undefined && filter === undefined) read.addFault(name, fault)
    if (filter !== undefined) filters.push(filter)
  }
  if (query['where'] !== undefined)
    filters.push(parseWhere(query['where'], fields, (...fault) => read.addFault(...fault)))
  return { op: 'and', of: filters }
}

function readOrder(query: Query, fields: ListFields, read: QueryReader): Order[] {
  if (query['order'] !== undefined) return readOrderList(query['order'], fields, read)
  const direction = readDirection(read.text('orderByDir'), 'orderByDir', read)
  const names = read.text('orderBy')?.split(',') ?? (direction === 'desc' ? ['id'] : [])
  checkOrder(names)
  const order = names.map((name) => ({
    field: readField(name, 'orderBy', { fields, read }),
    direction,
  }))
  return withoutRepeats(order)
}

function checkOrder(fields: readonly unknown[]): void {
  if (fields.length > orderMax) throw filterTooLarge(`more than ${orderMax} fields to order by`)
}

/** Leaves out repeated fields, which order nothing more; databases take a limited number. */
function withoutRepeats(order: readonly Order[]): Order[] {
  const byField = Map.groupBy(order, ({ field }) => field)
  return [...byField.values()].flatMap(([first]) => first ?? [])
}

/** `order[0][col]=name&order[0][dir]=DESC` */
function readOrderList(value: unknown, fields: ListFields, read: QueryReader): Order[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) read.addFault('order', 'must be a list with col and dir')
  checkOrder(entries)
  const order = entries.map(([key, entry]): Order => {
    const { col, dir } = (entry ?? {}) as Record<string, unknown>
    const name = `order[${key}]`
    return {
      field: readField(String(col), name, { fields, read }),
      direction: readDirection(dir, name, read),
    }
  })
  return withoutRepeats(order)
}

function readField(
  name: string,
  parameter: string,
  { fields, read }: { fields: ListFields; read: QueryReader },
): string {
  const field = findField(name, fields)
  if (field === undefined)
    read.addFault(parameter, `must be one of ${Object.keys(fields).join(', ')}`)
  return field ?? ''
}

function readDirection(value: unknown, parameter: string, read: QueryReader): 'asc' | 'desc' {
  const direction = typeof value === 'string' ? value.toLowerCase() : (value ?? 'asc')
  if (direction === 'asc' || direction === 'desc') return direction
  read.addFault(parameter, 'must be ASC or DESC')
  return 'asc'
}
