import { createCheck } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import { pause } from '../kit/pause.ts'
import { readCsv } from './read-csv.ts'
import { type SuppressionInput, suppressionInput } from './schema.ts'
import type { SuppressionWriter } from './write-suppressions.ts'

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

/** Rows in one write. */
const rowsPerWrite = 1_000
const faultsMax = 100

const check = createCheck(suppressionInput)

/** The columns of a CSV file, in small letters without separators, and what else they are called. */
const columnNames: Readonly<Record<string, keyof SuppressionInput>> = {
  address: 'address',
  email: 'address',
  emailaddress: 'address',
  reason: 'reason',
  senderdomain: 'senderDomain',
  source: 'source',
}

/** Imports values one after the other. A faulty one is reported and does not stop the others. */
export async function importItems(
  items: Iterable<{ row: number; item: unknown }> | AsyncIterable<{ row: number; item: unknown }>,
  {
    writer,
    caller,
    defaults,
  }: { writer: SuppressionWriter; caller: Caller } & {
    defaults: ImportDefaults
  },
): Promise<ImportResult> {
  const result: ImportResult = { created: 0, updated: 0, failed: 0, faults: [] }
  let waiting: SuppressionInput[] = []
  const write = async () => {
    const { created, updated } = await writer.importAll(waiting, caller)
    result.created += created
    result.updated += updated
    waiting = []
    await pause()
  }
  for await (const { row, item } of items) {
    const values = { ...defaults, ...(typeof item === 'object' ? item : {}) }
    const fault = check(values)
    if (fault === undefined) waiting.push(values as SuppressionInput)
    else {
      result.failed += 1
      if (result.faults.length < faultsMax) result.faults.push({ row, error: fault.message })
    }
    if (waiting.length === rowsPerWrite) await write()
  }
  if (waiting.length > 0) await write()
  return result
}

/** Reads the suppressions of a CSV file, whose first line has the names of the columns. Empty values are left out. */
export async function* readCsvItems(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ row: number; item: object }> {
  let fields: (keyof SuppressionInput | undefined)[] | undefined
  for await (const rows of readCsv(bytes))
    for (const { line, values } of rows) {
      if (fields === undefined) {
        fields = readNames(values)
        continue
      }
      const item: Record<string, string> = {}
      for (const [index, field] of fields.entries()) {
        const value = values[index]?.trim() ?? ''
        // A spreadsheet's apostrophe, which the export writes.
        if (field !== undefined && value !== '') item[field] = value.replace(/^'(?=[=+\-@])/, '')
      }
      yield { row: line, item }
    }
}

function readNames(values: readonly string[]): (keyof SuppressionInput | undefined)[] {
  const fields = values.map((name) => {
    const key = name.toLowerCase().replaceAll(/[^a-z]/g, '')
    return Object.hasOwn(columnNames, key) ? columnNames[key] : undefined
  })
  if (fields.includes('address')) return fields
  const message =
    'The first line must have the names of the columns: "address", and where wanted "reason", "senderDomain" and "source".'
  throw new AppError('invalid', 'csv_without_address', message)
}
