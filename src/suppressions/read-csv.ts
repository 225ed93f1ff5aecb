import papaparse from 'papaparse'
import { AppError } from '../kit/app-error.ts'
import { pause } from '../kit/pause.ts'

/** A row after the row of the column names; `line` is its number in a spreadsheet, where that row is 1. */
export interface CsvRow {
  line: number
  values: readonly string[]
}

/** A longer row is a quotation mark that is not closed. */
const rowLengthMax = 100_000
/** A longer file is sent in parts. */
const fileBytesMax = 256 * 1_048_576
const separators = [',', ';', '\t', '|']

/**
 * Reads CSV piece by piece, so that memory does not grow with the file. The first array has the names of the columns, in
 * `line` 1. The separator is that of the first line: comma, semicolon, tab or vertical bar.
 *
 * @throws AppError (`invalid`, `too_large`)
 * @see RFC 4180
 */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRow[]> {
  let parser: ReturnType<typeof createParser> | undefined
  let rest = ''
  let line = 0
  const take = (text: string, isLast: boolean): CsvRow[] => {
    parser ??= createParser(text)
    const { data, meta, errors } = parser.parse(text, 0, !isLast) as Parsed
    rest = isLast ? '' : text.slice(meta.cursor)
    const rows = data.map((values) => {
      line += 1
      return { line, values }
    })
    const isOpen = isLast && errors.some(({ code }) => code === 'MissingQuotes')
    if (isOpen || rest.length > rowLengthMax) throw openQuote(isOpen ? line : line + 1)
    return rows.filter(({ values }) => values.some((value) => value.trim() !== ''))
  }
  for await (const text of readText(bytes)) {
    // Without a whole line, neither separator nor line end is known.
    if (
      parser === undefined &&
      rest.length + text.length < rowLengthMax &&
      !/\n./.test(rest + text)
    )
      rest += text
    else yield take(rest + text, false)
    await pause()
  }
  if (rest !== '') yield take(rest, true)
}

interface Parsed {
  data: string[][]
  meta: { cursor: number }
  errors: { code: string }[]
}

function createParser(text: string) {
  const first = text.slice(0, text.search(/[\r\n]|$/))
  const count = (separator: string) => first.split(separator).length
  const delimiter = separators.toSorted((one, other) => count(other) - count(one))[0] ?? ','
  return new papaparse.Parser({ delimiter, newline: text.includes('\r\n') ? '\r\n' : '\n' })
}

async function* readText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  try {
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > fileBytesMax) throw fileTooLarge()
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AppError('invalid', 'body_not_utf8', 'The file is not UTF-8. Send it as UTF-8.')
  }
}

function openQuote(line: number): AppError {
  const message = `Line ${line} has a quotation mark that is not closed, or is longer than ${rowLengthMax} characters.`
  return new AppError('invalid', 'csv_malformed', message)
}

function fileTooLarge(): AppError {
  const message = `The file is larger than ${fileBytesMax / 1_048_576} MiB. Send it in parts.`
  return new AppError('too_large', 'csv_too_large', message)
}
