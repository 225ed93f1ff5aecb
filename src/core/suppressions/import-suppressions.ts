import { AppError } from '../../kit/app-error.ts'
import { runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { unguardCell } from '../../kit/csv.ts'
import { pause } from '../../kit/pause.ts'
import { createCheck } from '../../platform/http/index.ts'
import {
  findColumns,
  type ImportColumn,
  type ImportField,
  parseImportDate,
  translateReason,
} from './import-columns.ts'
import { OpenQuoteError, readCsv } from './read-csv.ts'
import { type SuppressionInput, suppressionInput } from './schema.ts'
import { twoScopes } from './scope.ts'
import type { Suppressions } from './suppressions.ts'
import type { ImportedSuppression } from './write-suppressions.ts'

/** The values of rows that name none. */
export type ImportDefaults = Pick<SuppressionInput, 'reason' | 'senderDomain' | 'source' | 'brand'>

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
  writer: Pick<Suppressions, 'importAll' | 'brandOf'>
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
  const brandOf = createBrandOf(writer, caller)
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
      const read = await brandOf(readItem(item, { defaults, now }))
      if (typeof read !== 'string') waiting.push(read)
      else {
        result.failed += 1
        if (result.faults.length < faultsMax) result.faults.push({ row, error: read })
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

/** Creates the function that gives an item its brand, or returns a sentence about one that the caller may not give it. */
function createBrandOf(suppressions: Pick<Suppressions, 'brandOf'>, caller: Caller) {
  type Brand = Awaited<ReturnType<Suppressions['brandOf']>>
  // Without refused ones: a file may name any number of them.
  const known = new Map<Brand, Brand>()
  return async (item: ImportedSuppression | string) => {
    if (typeof item === 'string') return item
    if (!known.has(item.brand)) {
      const result = await runItem(() => suppressions.brandOf(item, caller))
      if (!result.ok) return result.error.message
      known.set(item.brand, result.value)
    }
    const brand = known.get(item.brand) ?? null
    if (brand !== null && item.senderDomain) return `senderDomain ${twoScopes}.`
    return { ...item, brand }
  }
}

/** Returns a sentence about a faulty item. A reason that is free text becomes that of the query. */
function readItem(
  item: unknown,
  { defaults, now }: Pick<ImportContext, 'defaults' | 'now'>,
): ImportedSuppression | string {
  const { dateAdded, ...values } = { ...defaults, ...Object(item) } as Record<string, unknown>
  if (typeof values['reason'] === 'string') {
    const reason = translateReason(values['reason']) ?? defaults.reason ?? 'none'
    if (reason === 'none')
      return `The reason ${quote(values['reason'])} is none of bounced, complained, unsubscribed and manual. Write one of them, or add ?reason=bounced for the rows that have a text of their own.`
    values['reason'] = reason
  }
  if (/^\d{1,15}$/.test(String(values['brand']))) values['brand'] = Number(values['brand'])
  const fault = check(values)
  if (fault !== undefined) return fault.message
  const input = values as SuppressionInput
  if (dateAdded === undefined || dateAdded === null) return input
  const text = typeof dateAdded === 'string' ? dateAdded : JSON.stringify(dateAdded)
  const addedAt = parseImportDate(text)
  if (addedAt !== undefined) return { ...input, addedAt: Math.min(addedAt, now) }
  return `The date ${quote(text)} is not understood. Write it as 2026-01-31 15:54:35.`
}

const quote = (text: string) => JSON.stringify(text.slice(0, 80))

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
  let decoder: TextDecoder | undefined
  let size = 0
  try {
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > fileBytesMax) throw fileTooLarge()
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true })
      yield decoder.decode(chunk, { stream: true })
      await pause()
    }
    if (decoder !== undefined) yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const message =
      'The file is neither UTF-8 nor UTF-16. Save it as "CSV UTF-8", and send it again.'
    throw new AppError('invalid', 'body_not_utf8', message)
  }
}

/** The encoding of a file, by its byte order mark or its first character, which is ASCII. */
function encodingOf([first, second]: Uint8Array): string {
  if (second === 0 || (first === 0xff && second === 0xfe)) return 'utf-16le'
  return first === 0 || (first === 0xfe && second === 0xff) ? 'utf-16be' : 'utf-8'
}

function fileTooLarge(): AppError {
  const message = `The file is larger than ${fileBytesMax / 1_048_576} MiB. Send it in parts.`
  return new AppError('too_large', 'csv_too_large', message)
}

/** A known reason, also one that stands in another column, counts before what the names of columns imply, and that before a free text. */
function readRow(columns: readonly (ImportColumn | undefined)[], values: readonly string[]) {
  const item: Partial<Record<ImportField, string>> = {}
  const reasons: string[] = []
  let implied: string | undefined
  for (const [index, column] of columns.entries()) {
    const value = unguardCell(values[index]?.trim() ?? '')
    if (column === undefined || value === '') continue
    implied ??= column.reason
    if (column.field === 'reason') reasons.push(value)
    else item[column.field] ??= value
  }
  const { hint = '', ...rest } = item
  const reason =
    [...reasons, hint, rest.source ?? ''].find(translateReason) ?? implied ?? reasons[0]
  return reason === undefined ? rest : { ...rest, reason }
}
