/** A member of a row, or what is computed from the row. */
type Cell<Row> = (keyof Row & string) | ((row: Row) => unknown)

/** The columns of a table, or the lines of one record: each heading, a word for people, with its value. */
export type Columns<Row> = Readonly<Record<string, Cell<Row>>>

/** Where a table is shown. */
export interface Screen {
  /** A terminal gets short times, and blanks for what is empty. */
  isTerminal: boolean
  /** Lines are at most this long. Default: as long as they are. */
  width?: number | undefined
}

/** No column of a terminal becomes narrower. */
const columnWidthMin = 10
const gap = '  '
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
/** Swedish writes times as ISO 8601 does: `2026-01-31 15:54`. */
const shortTime = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' })

/** Formats rows as a table. Where it is wider than its screen, the widest columns are cut. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  screen: Screen = { isTerminal: false },
): string[] {
  const headings = Object.keys(columns)
  const blank = screen.isTerminal ? '' : '-'
  const cells = rows.map((row) => cellsOf(row, columns, screen).map((cell) => cell || blank))
  const lines = [headings, ...cells]
  const widths = headings.map((_, index) =>
    Math.max(...lines.map((line) => lengthOf(line[index] ?? ''))),
  )
  if (screen.width !== undefined) narrow(widths, screen.width)
  return lines.map((line) =>
    line
      .map((cell, index) => fit(cell, widths[index] ?? 0))
      .join(gap)
      .trimEnd(),
  )
}

/** Formats one record as lines: each heading and its value. What is empty is left out. */
export function formatRecord<Row>(
  row: Row,
  columns: Columns<Row>,
  screen: Screen = { isTerminal: false },
): string[] {
  const cells = cellsOf(row, columns, screen)
  const headings = Object.keys(columns)
  const width = Math.max(...headings.map(lengthOf))
  return headings.flatMap((heading, index) => {
    const cell = cells[index] ?? ''
    return cell === '' ? [] : [`${heading.padEnd(width)}${gap}${cell}`]
  })
}

/** Takes from the widest column until the line fits, or every column has its least width. */
function narrow(widths: number[], widthMax: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1))
  for (let excess = total() - widthMax; excess > 0; excess -= 1) {
    const widest = Math.max(...widths)
    if (widest <= columnWidthMin) return
    widths[widths.indexOf(widest)] = widest - 1
  }
}

function fit(text: string, width: number): string {
  const characters = [...text]
  if (characters.length <= width) return text + ' '.repeat(width - characters.length)
  return `${characters.slice(0, width - 1).join('')}…`
}

const lengthOf = (text: string) => [...text].length

function cellsOf<Row>(row: Row, columns: Columns<Row>, screen: Screen): string[] {
  return Object.values(columns).map((cell) =>
    cellText(typeof cell === 'function' ? cell(row) : row[cell], screen),
  )
}

function cellText(value: unknown, { isTerminal }: Screen): string {
  if (value === null || value === undefined || value === '') return ''
  if (Array.isArray(value)) return cellText(value.join(', '), { isTerminal })
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'string') return JSON.stringify(value)
  return (isTerminal ? shortTimeOf(value) : undefined) ?? withoutControls(value)
}

/** Returns undefined for what is no time, such as a name that looks like one. */
function shortTimeOf(value: string): string | undefined {
  const time = isoTime.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : shortTime.format(time)
}

/** Text of an untrusted server must not control the terminal. */
export const withoutControls = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ')
