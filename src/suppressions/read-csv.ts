/** A row of a file. The row of the column names is row 1, as in a spreadsheet. */
export interface CsvRow {
  row: number
  values: readonly string[]
}

/** How the text of a file is divided. */
interface CsvFormat {
  separator: string
  /** What ends a row. */
  newline: string
}

/** A longer row is a quotation mark that is not closed. */
const rowLengthMax = 100_000

/** A row has a quotation mark that is not closed, or is too long. */
export class OpenQuoteError extends Error {
  readonly row: number

  constructor(row: number) {
    super(
      `Row ${row} has a quotation mark that is not closed, or is longer than ${rowLengthMax} characters.`,
    )
    this.row = row
  }
}

/**
 * Reads CSV piece by piece, so that memory does not grow with the file. Empty rows are left out.
 *
 * @throws OpenQuoteError
 * @see RFC 4180
 */
export async function* readCsv(pieces: AsyncIterable<string>): AsyncGenerator<CsvRow[]> {
  // Loaded when it is needed: few requests need it.
  const { default: papaparse } = await import('papaparse')
  let format: CsvFormat | undefined
  let rest = ''
  let row = 0
  const take = (text: string, isLast: boolean): CsvRow[] => {
    format ??= detectFormat(text)
    const { separator: delimiter, newline } = format
    const parser = new papaparse.Parser({ delimiter, newline: newline as '\n' })
    const { data, meta, errors } = parser.parse(text, 0, !isLast) as Parsed
    rest = isLast ? '' : text.slice(meta.cursor)
    const rows = data.map((values) => {
      row += 1
      return { row, values }
    })
    const isOpen = isLast && errors.some(({ code }) => code === 'MissingQuotes')
    if (isOpen || rest.length > rowLengthMax) throw new OpenQuoteError(isOpen ? row : row + 1)
    return rows.filter(({ values }) => values.some((value) => value.trim() !== ''))
  }
  for await (const piece of pieces) {
    const text = rest + piece
    // Without a whole line, neither separator nor line end is known.
    if (format === undefined && text.length < rowLengthMax && !/\n./.test(text)) rest = text
    else yield take(text, false)
  }
  if (rest !== '') yield take(rest, true)
}

interface Parsed {
  data: string[][]
  meta: { cursor: number }
  errors: { code: string }[]
}

const separators = [',', ';', '\t', '|']

/** The separator of the first line (comma, semicolon, tab or vertical bar), and its line end. */
function detectFormat(text: string): CsvFormat {
  const first = text.slice(0, text.search(/[\r\n]|$/))
  const count = (separator: string) => first.split(separator).length
  const separator = separators.toSorted((one, other) => count(other) - count(one))[0] ?? ','
  return { separator, newline: text.includes('\r\n') ? '\r\n' : '\n' }
}
