/** A row of a file. The row of the column names is row 1, as in a spreadsheet. */
export interface CsvRow {
  row: number
  values: readonly string[]
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
 * Reads CSV piece by piece, so that memory does not grow with the file. Rows end with CRLF, LF or CR, also in one file; in
 * quoted values each of them is read as LF. Empty rows are left out.
 *
 * @throws OpenQuoteError
 * @see RFC 4180
 */
export async function* readCsv(pieces: AsyncIterable<string>): AsyncGenerator<CsvRow[]> {
  // Loaded when it is needed: few requests need it.
  const { default: papaparse } = await import('papaparse')
  let delimiter: string | undefined
  let rest = ''
  let row = 0
  const take = (text: string, isLast: boolean): CsvRow[] => {
    delimiter ??= separatorOf(text)
    const parser = new papaparse.Parser({ delimiter, newline: '\n' })
    const { data, meta, errors } = parser.parse(text, 0, !isLast) as Parsed
    rest = isLast ? '' : text.slice(meta.cursor)
    const rows = data.map((values, index) => ({ row: row + index + 1, values }))
    row += rows.length
    const isOpen = isLast && errors.some(({ code }) => code === 'MissingQuotes')
    if (isOpen || rest.length > rowLengthMax) throw new OpenQuoteError(isOpen ? row : row + 1)
    return rows.filter(({ values }) => values.some((value) => value.trim() !== ''))
  }
  for await (const piece of pieces) {
    // A CR at the end may be the first half of a CRLF.
    const text = (rest + piece).replaceAll(/\r\n|\r(?!$)/g, '\n')
    // Without a whole line, the separator is not known.
    if (delimiter === undefined && text.length < rowLengthMax && !text.includes('\n')) rest = text
    else yield take(text, false)
  }
  if (rest !== '') yield take(rest.replace(/\r$/, '\n'), true)
}

interface Parsed {
  data: string[][]
  meta: { cursor: number }
  errors: { code: string }[]
}

/** The separator of the first line: comma, semicolon, tab or vertical bar. */
function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1)
  const count = (separator: string) => first.replaceAll(/"[^"]*"/g, '').split(separator).length
  return [',', ';', '\t', '|'].toSorted((one, other) => count(other) - count(one))[0] ?? ','
}
