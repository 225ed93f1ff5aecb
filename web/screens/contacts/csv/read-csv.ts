import { unguardCell } from '../../../../src/kit/csv.ts'
import { importWords } from '../../../words/import.ts'

/** How the text of a file is to be read. */
export interface CsvFormat {
  encoding: keyof typeof importWords.encodings
  separator: string
  /** What ends a row. */
  newline: string
}

/** A row of a file. The row of the column names is row 1, as in a spreadsheet. */
export interface CsvRow {
  row: number
  values: readonly string[]
}

/** What is known of a file before its rows are read. */
export interface CsvFile {
  file: File
  format: CsvFormat
  columns: readonly string[]
  /** The first rows. */
  samples: readonly CsvRow[]
}

/** A file that cannot be read as CSV; the message is for the reader. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault'
}

const sampleLength = 64 * 1_024
const samplesMax = 20
/** A longer row is a quotation mark that is not closed. */
const rowLengthMax = 1_000_000

/** Reads the first rows of a file. What is not given of the format is detected. */
export async function openCsv(file: File, given: Partial<CsvFormat> = {}): Promise<CsvFile> {
  const encoding = given.encoding ?? (await detectEncoding(file))
  const format = { encoding, ...(await detectSeparators(file, encoding)), ...given }
  const samples: CsvRow[] = []
  for await (const rows of readRows(file, format)) {
    samples.push(...rows)
    if (samples.length > samplesMax) break
  }
  const [first, ...rest] = samples
  if (first === undefined || rest.length === 0) throw new CsvFault(importWords.noRows)
  return { file, format, columns: first.values, samples: rest.slice(0, samplesMax) }
}

/** Counts the rows after the row of the column names. */
export async function countRows(
  { file, format }: CsvFile,
  onCount?: (count: number) => void,
): Promise<number> {
  let count = -1
  for await (const rows of readRows(file, format)) {
    count += rows.length
    onCount?.(count)
  }
  return Math.max(count, 0)
}

/**
 * Reads a file piece by piece, as its stream gives them, so that the page stays responsive and the size of the file does
 * not matter. Empty rows are left out.
 */
export async function* readRows(file: File, format: CsvFormat): AsyncGenerator<CsvRow[]> {
  const { default: papaparse } = await import('papaparse')
  const parser = () =>
    new papaparse.Parser({
      delimiter: format.separator,
      newline: format.newline as '\n',
    })
  let rest = ''
  let row = 0
  const take = (text: string, isLast: boolean): CsvRow[] => {
    const { data, meta, errors } = parser().parse(text, 0, !isLast) as Parsed
    rest = isLast ? '' : text.slice(meta.cursor)
    const rows = data.map((values) => {
      row += 1
      return { row, values: values.map(unguardCell) }
    })
    const isOpen = isLast && errors.some(({ code }) => code === 'MissingQuotes')
    if (isOpen) throw new CsvFault(importWords.openQuote(row))
    if (rest.length > rowLengthMax) throw new CsvFault(importWords.openQuote(row + 1))
    return rows.filter(({ values }) => values.some((value) => value.trim() !== ''))
  }
  for await (const text of readText(file, format.encoding)) {
    const rows = take(rest + text, false)
    if (rows.length > 0) yield rows
  }
  if (rest !== '') yield take(rest, true)
}

interface Parsed {
  data: string[][]
  meta: { cursor: number }
  errors: { code: string }[]
}

async function* readText(file: File, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  const reader = file.stream().getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield decoder.decode(value, { stream: true })
    }
    yield decoder.decode()
  } finally {
    await reader.cancel()
  }
}

/** The encoding by its mark; else UTF-8 where the whole file is valid UTF-8, and Windows-1252 where it is not. */
async function detectEncoding(file: File): Promise<CsvFormat['encoding']> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = file.stream().getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      decoder.decode(value, { stream: !done })
      if (done) return 'utf-8'
    }
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252'
    throw error
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function detectSeparators(file: File, encoding: string) {
  const { default: papaparse } = await import('papaparse')
  const bytes = await file.slice(0, sampleLength).arrayBuffer()
  const text = new TextDecoder(encoding).decode(bytes)
  const separators = Object.keys(importWords.separators)
  const { meta } = papaparse.parse(text, { preview: samplesMax, delimitersToGuess: separators })
  return {
    separator: separators.includes(meta.delimiter) ? meta.delimiter : ',',
    newline: meta.linebreak,
  }
}
