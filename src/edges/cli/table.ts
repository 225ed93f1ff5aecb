/** A record of an answer, or a row of a table. */
export type Row = Readonly<Record<string, unknown>>

/** Where an answer is shown. */
export interface Screen {
  /** A terminal gets short times, and blanks for what is empty. */
  isTerminal: boolean
  /** Lines of tables are at most this long. Default: as long as they are. */
  width?: number | undefined
}

/** The members that a narrow table has first, in this order. Those with a dot are inside other members. */
const preferred = [
  'id',
  'date',
  'name',
  'username',
  'domain',
  'address',
  'fields.all.email',
  'fields.all.firstname',
  'fields.all.lastname',
  'recipient',
  'recipients',
  'subject',
  'stage',
  'state',
  'outcome',
  'transport',
  'problem',
  'reason',
  'reply',
  'isPublished',
]

/** No column that is cut becomes narrower; wider ones give way to more columns. */
const columnWidth = { min: 10, fit: 30 }
const gap = '  '
/** Longer texts of a list have a line each. */
const listedMax = 40
/** Longer texts are in no table, and below the other members of a record. */
const cellMax = 1000
/** Numbers that are no amounts. */
const nameOfCode = /(?:^|\.)id$|(?:Ids?|By|port|Port|status|Status|code|Code)$/
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
/** Swedish writes times as ISO 8601 does: `2026-01-31 15:54`. */
const shortTime = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' })

interface Column {
  heading: string
  cells: string[]
  width: number
}

/**
 * Formats rows as a table of their members, with some of them first. Nested and empty ones are left out, and on a screen those for which
 * there is no space. The widest cells are cut to fit.
 */
export function formatTable(
  rows: readonly Row[],
  screen: Screen,
  first: readonly string[] = preferred,
): string[] {
  const columns = chooseColumns(rows, screen, first)
  const format = (cellOf: (column: Column) => string) =>
    columns
      .map((column) => fit(cellOf(column), column.width))
      .join(gap)
      .trimEnd()
  return [
    format(({ heading }) => heading),
    ...rows.map((_, index) => format(({ cells }) => cells[index] ?? '')),
  ]
}

function chooseColumns(rows: readonly Row[], screen: Screen, first: readonly string[]): Column[] {
  const { width: widthMax = Number.POSITIVE_INFINITY } = screen
  const names = new Set([...first, ...rows.flatMap(Object.keys)])
  const columns: Column[] = []
  let total = -gap.length
  for (const name of names) {
    const column = createColumn(name, rows, screen)
    if (column === undefined) continue
    const fit = columns.length < 2 ? columnWidth.min : columnWidth.fit
    const least = gap.length + Math.min(column.width, fit)
    if (columns.length > 0 && total + least > widthMax) continue
    total += least
    columns.push(column)
  }
  narrow(columns, widthMax)
  return columns
}

/** Returns undefined for a member that has no cells: a nested one, one with lines, and one that is empty in every row. */
function createColumn(
  name: string,
  rows: readonly Row[],
  { isTerminal }: Screen,
): Column | undefined {
  const texts = rows.map((row) => cellText(memberOf(row, name), name, isTerminal))
  if (texts.includes(undefined) || !texts.some(Boolean)) return undefined
  const cells = texts.map((text) => text || (isTerminal ? '' : '-'))
  const heading = name.slice(name.lastIndexOf('.') + 1)
  return { heading, cells, width: Math.max(...[heading, ...cells].map(lengthOf)) }
}

/** Returns a member of a record; with dots in its name, one inside other members. */
export function memberOf(row: Row, path: string): unknown {
  let value: unknown = row
  for (const name of path.split('.')) value = (value as Row | null | undefined)?.[name]
  return value
}

/** Takes from the widest column until the line fits, or every column has its least width. */
function narrow(columns: readonly Column[], widthMax: number): void {
  const total = columns.reduce((sum, { width }) => sum + width + gap.length, -gap.length)
  for (let excess = total - widthMax; excess > 0; excess -= 1) {
    const [first] = columns
    if (first === undefined) return
    const widest = columns.reduce((most, each) => (each.width > most.width ? each : most), first)
    if (widest.width <= columnWidth.min) return
    widest.width -= 1
  }
}

function fit(text: string, width: number): string {
  const characters = [...text]
  if (characters.length <= width) return text + ' '.repeat(width - characters.length)
  return `${characters.slice(0, width - 1).join('')}…`
}

const lengthOf = (text: string) => [...text].length

/** Returns the text of a value on one line; empty for nothing, undefined for what needs more than a line. */
function cellText(value: unknown, name: string, isTerminal: boolean): string | undefined {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) {
    const texts = value.map((each) =>
      typeof each === 'object' ? undefined : cellText(each, name, isTerminal),
    )
    const isShort = texts.every((text) => text !== undefined && text.length <= listedMax)
    return isShort ? texts.join(', ') : undefined
  }
  if (typeof value === 'object') {
    const { id, name: title, username: user } = value as Row
    if (id === undefined || typeof (title ?? user) !== 'string') return undefined
    return cellText(title ?? user, name, false)
  }
  if (typeof value === 'number' && isTerminal && !nameOfCode.test(name))
    return value.toLocaleString('en')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (/[\r\n]/.test(value.trimEnd()) || value.length > cellMax) return undefined
  return (isTerminal ? shortTimeOf(value) : undefined) ?? withoutControls(value.trimEnd())
}

/** Returns undefined for what is no time, such as a name that looks like one. */
function shortTimeOf(value: string): string | undefined {
  const time = isoTime.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : shortTime.format(time)
}

/** How many names a line of a record has at most, with dots between them. What is deeper is only in JSON. */
const depthMax = 3

/** Formats a record: a line for each member that has a value, then its tables and its texts of several lines. */
export function formatRecord(record: Row, screen: Screen): string[] {
  const members: [string, string][] = []
  const parts: string[] = []
  const addMember = (name: string, value: unknown): void => {
    const text = cellText(value, name, screen.isTerminal)
    if (text !== undefined) {
      if (text !== '') members.push([name, text])
    } else if (typeof value === 'string')
      parts.push('', `${name}:`, ...value.trimEnd().split(/\r?\n/).map(withoutControls))
    else if (Array.isArray(value)) {
      const rows = value.filter((each) => typeof each === 'object' && each !== null)
      const lines =
        rows.length > 0 ? formatTable(rows, screen) : value.map(String).map(withoutControls)
      parts.push('', `${name}:`, ...lines)
    } else if (name.split('.').length < depthMax)
      for (const [inner, each] of Object.entries(value as Row)) addMember(`${name}.${inner}`, each)
  }
  for (const [name, value] of Object.entries(record)) addMember(name, value)
  const width = Math.max(...members.map(([name]) => name.length))
  const lines = members.map(([name, text]) => `${`${name}:`.padEnd(width + 1)}${gap}${text}`)
  return lines.length === 0 ? parts.slice(1) : [...lines, ...parts]
}

/** Text of an untrusted server must not control the terminal. */
export const withoutControls = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ')
