import { readDate } from '../../http/index.ts'
import type { Comparison, FieldType, Filter } from '../../storage/index.ts'
import { conditionsMax, filterTooLarge } from './filter-size.ts'

/** The fields that a list is filtered and ordered by, with their types. A JSON list of texts is compared text by text. */
export type ListFields = Readonly<Record<string, { type: FieldType; isList?: boolean }>>

/**
 * Finds a field by its name in answers, or by that of a column of Mautic: `date_added`, `l.lastname`, `owner_id`. Letter case and
 * `_` do not matter.
 */
export function findField(name: unknown, fields: ListFields): string | undefined {
  const fold = (text: string) => text.toLowerCase().replaceAll('_', '')
  const folded = fold(
    String(name)
      .trim()
      .replace(/^[a-z]+\./, ''),
  )
  const names = Object.keys(fields)
  return (
    names.find((each) => fold(each) === folded) ??
    names.find((each) => `${fold(each)}id` === folded)
  )
}

/** Called with each fault of the query and the name of its parameter. */
type AddFault = (parameter: string, reason: string) => void

interface Clause {
  name: string
  expr: string
  col: unknown
  val: unknown
}

const comparisons = new Set(['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'like', 'notLike'])
const depthMax = 5

/**
 * Reads Mautic's `where[0][col]=name&where[0][expr]=like&where[0][val]=a%`. All clauses must match. `andX` and `orX` have
 * further clauses in their `val`.
 */
export function parseWhere(value: unknown, fields: ListFields, addFault: AddFault): Filter {
  return { op: 'and', of: readClauses(value, 'where', { fields, addFault, depth: 0 }) }
}

interface WhereContext {
  fields: ListFields
  addFault: AddFault
  depth: number
}

function readClauses(value: unknown, name: string, context: WhereContext): Filter[] {
  if (typeof value !== 'object' || value === null || context.depth > depthMax) {
    context.addFault(name, 'must be a list of clauses with col, expr and val')
    return []
  }
  const entries = Object.entries(value)
  if (entries.length > conditionsMax) throw filterTooLarge(`more than ${conditionsMax} conditions`)
  return entries.flatMap(([key, clause]) => {
    const filter = readClause(clause, `${name}[${key}]`, context)
    return filter === undefined ? [] : [filter]
  })
}

function readClause(value: unknown, name: string, context: WhereContext): Filter | undefined {
  const parts = Object(value) as Record<string, unknown>
  const expr = parts['expr']
  if (typeof expr !== 'string') {
    context.addFault(name, 'needs an expr, such as eq')
    return undefined
  }
  const clause: Clause = {
    name,
    expr,
    col: parts['col'] ?? parts['column'],
    val: parts['val'] ?? parts['value'],
  }
  if (expr === 'andX' || expr === 'orX') {
    const of = readClauses(clause.val, `${name}[val]`, { ...context, depth: context.depth + 1 })
    return { op: expr === 'andX' ? 'and' : 'or', of }
  }
  const col = findField(clause.col, context.fields)
  if (col === undefined) {
    context.addFault(name, `needs a col, one of ${Object.keys(context.fields).join(', ')}`)
    return undefined
  }
  return readComparison({ ...clause, col }, context)
}

function readComparison(
  clause: Clause & { col: string },
  context: WhereContext,
): Filter | undefined {
  const { name, expr, col: field } = clause
  const { type, isList = false } = context.fields[field] ?? { type: 'text' }
  const values = () => readValues(clause, context)
  const oneOf = (): Filter => {
    if (!isList) return { op: 'in', field, values: values() }
    return { op: 'or', of: values().map((value) => ({ op: 'has', field, value: String(value) })) }
  }
  if (isList && /^n?eq$/.test(expr)) return expr === 'eq' ? oneOf() : { op: 'not', of: oneOf() }
  switch (expr) {
    case 'isNull':
      return { op: 'null', field }
    case 'isNotNull':
      return { op: 'not', of: { op: 'null', field } }
    // Nulls are compared as empty values.
    case 'isEmpty':
      return { op: 'eq', field, value: isList ? '[]' : emptyValues[type] }
    case 'isNotEmpty':
      return { op: 'neq', field, value: isList ? '[]' : emptyValues[type] }
    case 'in':
      return oneOf()
    case 'notIn':
      return { op: 'not', of: oneOf() }
    case 'between':
    case 'notBetween': {
      const [from, to, ...more] = values()
      if (from === undefined || to === undefined || more.length > 0) {
        context.addFault(name, 'needs two values, separated by a comma')
        return undefined
      }
      const start: Filter = { op: 'gte', field, value: from }
      const between: Filter = { op: 'and', of: [start, { op: 'lte', field, value: to }] }
      return expr === 'between' ? between : { op: 'not', of: between }
    }
    default: {
      if (!comparisons.has(expr)) context.addFault(name, `has an unknown expr "${expr}"`)
      // SQLite would compare the text of a number, and PostgreSQL refuses to.
      if (expr.endsWith('ike') && type !== 'text')
        context.addFault(name, `has the expr "${expr}", which is for texts only`)
      const [value] = readValues({ ...clause, val: [clause.val] }, context)
      if (value === undefined) return undefined
      return { op: expr as Comparison, field, value: expr.endsWith('ike') ? closed(value) : value }
    }
  }
}

/** Escapes a backslash at the end of a pattern, as MySQL reads it; PostgreSQL would refuse it. */
function closed(pattern: string | number | boolean): string {
  return String(pattern).replace(/(?<!\\)\\(?:\\\\)*$/, '$&\\')
}

const emptyValues = { text: '', number: 0, boolean: false, date: 0 } as const

function readValues(
  { name, col, val }: Clause,
  context: WhereContext,
): (string | number | boolean)[] {
  const texts = typeof val === 'string' ? val.split(',') : Object.values(val ?? [])
  const type = context.fields[String(col)]?.type ?? 'text'
  if (texts.length === 0) context.addFault(name, `needs a val, ${valueNames[type]}`)
  return texts.flatMap((text: unknown) => {
    const value = typeof text === 'string' ? readValue(text, type) : undefined
    if (value !== undefined) return [value]
    context.addFault(name, `needs a val, ${valueNames[type]}`)
    return []
  })
}

const valueNames: Record<FieldType, string> = {
  text: 'a text',
  number: 'a number',
  boolean: '1 or 0',
  date: 'a date such as 2026-01-31 15:54:35',
}

/** Reads a value by the type of its field; undefined for text that is no such value. */
function readValue(text: string, type: FieldType): string | number | boolean | undefined {
  switch (type) {
    case 'text':
      return text
    case 'number':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
    case 'boolean':
      if (/^(1|true|yes|on)$/i.test(text)) return true
      return /^(0|false|no|off)$/i.test(text) ? false : undefined
    case 'date':
      return readDate(text)
  }
}
