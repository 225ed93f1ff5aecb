import { createCheck } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import { unguardCell } from '../kit/csv.ts'
import { pause } from '../kit/pause.ts'
import {
  findColumns,
  type ImportColumn,
  parseImportDate,
  translateReason,
} from './import-columns.ts'
import { OpenQuoteError, readCsv } from './read-csv.ts'
import { type SuppressionInput, suppressionInput } from './schema.ts'
import type { ImportedSuppression, SuppressionWriter } from './write-suppressions.ts'

/** The values of rows that name none. */
export type ImportDefaults = Pick<SuppressionInput, 'reason' | 'senderDomain' | 'source'>

/** A row that was not imported. */
export interface ImportFault {
  /** The line of the file, or the place in the list, counted from 1. */
  row: number
  error: string
}

export interface ImportResult {
  created: number
  updated: number
  failed: number
  /** The first faults. */
  faults: ImportFault[]
}

/** Rows in one write: in one transaction. */
const rowsPerWrite = 500
const faultsMax = 100

const check = createCheck(suppressionInput)

export interface ImportContext {
  writer: SuppressionWriter
  caller: Caller
  defaults: ImportDefaults
  /** The time now, in milliseconds since the epoch. */
  now: number
}

type ImportItems = Iterable<{ row: number; item: unknown }>

/**
 * Imports values one after the other. A faulty one is reported and does not stop the others.
 *
 * @throws AppError It says which rows are imported, if some are.
 */
export async function importItems(
  items: ImportItems | AsyncIterable<{ row: number; item: unknown }>,
  { writer, caller, defaults, now }: ImportContext,
): Promise<ImportResult> {
  const result: ImportResult = { created: 0, updated: 0, failed: 0, faults: [] }
  let waiting: ImportedSuppression[] = []
  let lastRow = 0
  let writtenRow = 0
  const write = async () => {
    const { created, updated } = await writer.importAll(waiting, caller)
    result.created += created
    result.updated += updated
    waiting = []
    writtenRow = lastRow
    await pause()
  }
  try {
    for await (const { row, item } of items) {
      lastRow = row
      const { values, fault } = readItem(item, { defaults, now })
      if (fault === undefined) waiting.push(values)
      else {
        result.failed += 1
        if (result.faults.length < faultsMax) result.faults.push({ row, error: fault })
      }
      if (waiting.length === rowsPerWrite) await write()
    }
    if (waiting.length > 0) await write()
    return result
  } catch (error) {
    if (writtenRow === 0 || !(error instanceof AppError)) throw error
    throw explainPartial(error, writtenRow)
  }
}

type ReadItem =
  | { values: ImportedSuppression; fault: undefined }
  | { values: undefined; fault: string }

function readItem(
  item: unknown,
  { defaults, now }: Pick<ImportContext, 'defaults' | 'now'>,
): ReadItem {
  const { dateAdded, ...fields } = Object(item) as { dateAdded?: unknown }
  const values = { ...defaults, ...fields }
  const fault = check(values)
  if (fault !== undefined) return { values: undefined, fault: fault.message }
  const input = values as SuppressionInput
  if (dateAdded === undefined || dateAdded === null) return { values: input, fault }
  const text = typeof dateAdded === 'string' ? dateAdded : JSON.stringify(dateAdded)
  const addedAt = parseImportDate(text)
  if (addedAt !== undefined) return { values: { ...input, addedAt: Math.min(addedAt, now) }, fault }
  const quoted = JSON.stringify(text.slice(0, 40))
  const problem = `The date ${quoted} is not understood. Write it as 2026-01-31 15:54:35.`
  return { values: undefined, fault: problem }
}

/** Extends the error of an import that has stopped halfway. */
function explainPartial(error: AppError, row: number): AppError {
  const { kind, code, retryAfterSeconds } = error
  const cause = kind === 'upstream' ? 'The database did not save all rows.' : error.message
  const message = `${cause} The rows up to ${row} are imported, except faulty ones; those after it are not. Send the file again: no address is added twice.`
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return new AppError(kind, code, message, { cause: error, ...wait })
}

/** A longer file is sent in parts. */
const fileBytesMax = 256 * 1_048_576

/**
 * Reads the suppressions of a CSV file, whose first line has the names of the columns. Empty values are left out.
 *
 * @throws AppError (`invalid`, `too_large`)
 */
export async function* readCsvItems(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ row: number; item: object }> {
  let columns: (ImportColumn | undefined)[] | undefined
  try {
    for await (const rows of readCsv(readText(bytes)))
      for (const { row, values } of rows) {
        if (columns === undefined) columns = findColumns(values)
        else yield { row, item: readRow(columns, values) }
      }
  } catch (error) {
    if (!(error instanceof OpenQuoteError)) throw error
    throw new AppError('invalid', 'csv_malformed', error.message, { cause: error })
  }
}

async function* readText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  try {
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > fileBytesMax) throw fileTooLarge()
      yield decoder.decode(chunk, { stream: true })
      await pause()
    }
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AppError('invalid', 'body_not_utf8', 'The file is not UTF-8. Send it as UTF-8.')
  }
}

function fileTooLarge(): AppError {
  const message = `The file is larger than ${fileBytesMax / 1_048_576} MiB. Send it in parts.`
  return new AppError('too_large', 'csv_too_large', message)
}

function readRow(columns: readonly (ImportColumn | undefined)[], values: readonly string[]) {
  const item: Partial<Record<ImportColumn['field'], string>> = {}
  let implied: string | undefined
  for (const [index, column] of columns.entries()) {
    const value = unguardCell(values[index]?.trim() ?? '')
    if (column === undefined || value === '') continue
    implied ??= column.reason
    item[column.field] ??= column.field === 'reason' ? translateReason(value) : value
  }
  return implied === undefined ? item : { reason: implied, ...item }
}
