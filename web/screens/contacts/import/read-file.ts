import { unguardCell } from '../../../../src/kit/csv.ts'
import {
  type CsvRow,
  OpenQuoteError,
  readCsv,
  type CsvFormat as TextFormat,
} from '../../../../src/kit/read-csv.ts'
import { importWords } from '../../../words/import.ts'

/** How the text of a file is to be read. */
export interface CsvFormat extends TextFormat {
  encoding: keyof typeof importWords.encodings
}

/** What is known of a file before its rows are read. */
export interface CsvFile {
  file: File
  format: CsvFormat
  columns: readonly string[]
  /** The first rows. */
  samples: readonly CsvRow[]
  /** Without the row of the column names. */
  rowCount: number
}

/** A file that cannot be read as CSV; the message is for the reader. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault'
}

const sampleLength = 64 * 1_024
const samplesMax = 20

/** Reads the first rows of a file, and counts all. What is not given of the format is detected. */
export async function openCsv(
  file: File,
  options: { format?: Partial<CsvFormat>; onCount?: (count: number) => void } = {},
): Promise<CsvFile> {
  const encoding = options.format?.encoding ?? (await detectEncoding(file))
  const detected = await detectSeparators(file, encoding)
  const format: CsvFormat = { encoding, ...detected, ...options.format }
  const samples: CsvRow[] = []
  let count = 0
  for await (const rows of readRows(file, format)) {
    count += rows.length
    if (samples.length <= samplesMax) samples.push(...rows.slice(0, samplesMax + 1))
    options.onCount?.(count - 1)
  }
  const [first, ...rest] = samples
  if (first === undefined || rest.length === 0) throw new CsvFault(importWords.noRows)
  return {
    file,
    format,
    columns: first.values,
    samples: rest.slice(0, samplesMax),
    rowCount: count - 1,
  }
}

/** Reads the rows of a file piece by piece, as its stream gives them, so that the page stays responsive. */
export async function* readRows(file: File, format: CsvFormat): AsyncGenerator<CsvRow[]> {
  try {
    for await (const rows of readCsv(readText(file, format.encoding), format))
      yield rows.map(({ row, values }) => ({ row, values: values.map(unguardCell) }))
  } catch (error) {
    throw error instanceof OpenQuoteError ? new CsvFault(importWords.openQuote(error.row)) : error
  }
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
