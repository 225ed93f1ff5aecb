import type { CsvRow } from '../../../../src/kit/read-csv.ts'
import { ApiFault, ask, type Schema } from '../../../lib/api.ts'
import { type CsvFile, readRows } from './read-file.ts'
import { type ContactOfRow, contactOf, type Mapping } from './targets.ts'

/** A row that is not imported, and why. */
export interface RowFault extends CsvRow {
  reason: string
}

/** What a row changes of a contact that exists, or the earlier row that it is merged with. */
export interface RowChange {
  row: number
  email: string
  id?: number | undefined
  sameAs?: number | undefined
  fields: NonNullable<Schema<'ContactPlan'>['fields']>
}

type RowOutcome = 'create' | 'update' | 'none' | 'merged' | 'failed'

/** How far a check or an import is. */
export interface Progress {
  done: number
  counts: Record<RowOutcome, number>
  faults: RowFault[]
  /** The first changes. */
  changes: RowChange[]
  /** Addresses of the rows so far, with their rows. */
  addresses: Map<string, number>
  /** Rows that create a contact, as far as is known. */
  created: Set<number>
}

export function createProgress(): Progress {
  return {
    done: 0,
    counts: { create: 0, update: 0, none: 0, merged: 0, failed: 0 },
    faults: [],
    changes: [],
    addresses: new Map(),
    created: new Set(),
  }
}

const rowsPerBatch = 1_000
export const changesMax = 100

interface RunOptions {
  csv: CsvFile
  mapping: Mapping
  /** Where to begin; it is changed while rows are sent. */
  progress: Progress
  /** Stops before the next batch. */
  signal: AbortSignal
  onProgress: () => void
}

/** What the API says of one contact: what it does with it, or why it does not. */
type Answer = Pick<Schema<'ContactPlan'>, 'action' | 'id' | 'fields'> | { fault: string }

/** Answers for each contact, in order. */
type Send = (contacts: readonly ContactOfRow[], rows: readonly number[]) => Promise<Answer[]>

/** Asks the API what the rows would change. Nothing is saved. */
export function checkRows(options: RunOptions): Promise<void> {
  return runRows(options, async (body) => {
    const query = { dryRun: 1 }
    const answer = await ask('POST', path, { query, body: [...body], isRead: true })
    const { plan, errors } = answer.body as DryRun
    return plan.map((planned, index) => planned ?? { fault: describeError(errors[index]) })
  })
}

/**
 * Imports the rows, in batches. One that failed can be continued with the same progress: its last batch is sent again,
 * which changes nothing where it was saved, because contacts are recognised by their addresses.
 *
 * @param planned The rows that create a contact, as the check found.
 */
export function importRows(options: RunOptions, planned: ReadonlySet<number>): Promise<void> {
  return runRows(options, async (body, rows) => {
    const { statusCodes, errors } = await saveBatch([...body])
    return statusCodes.map((code, index) => {
      if (code !== 200 && code !== 201) return { fault: describeError(errors[index]) }
      // A batch that is sent again finds the contacts that it created before its answer was lost.
      const isNew = code === 201 || planned.has(rows[index] ?? 0)
      return { action: isNew ? 'create' : 'update' }
    })
  })
}

async function runRows(options: RunOptions, send: Send): Promise<void> {
  const { csv, mapping, progress, signal, onProgress } = options
  const skipped = progress.done
  let place = -1
  let rows: CsvRow[] = []
  const sendRows = async () => {
    if (signal.aborted || rows.length === 0) return
    await sendBatch(rows, { mapping, progress, send })
    progress.done += rows.length
    rows = []
    onProgress()
  }
  for await (const read of readRows(csv.file, csv.format)) {
    for (const row of read) {
      place += 1
      // The first row has the names of the columns; those that are done are not sent again.
      if (place <= skipped) continue
      rows.push(row)
      if (rows.length >= rowsPerBatch) await sendRows()
      if (signal.aborted) return
    }
  }
  await sendRows()
}

/** Sends the contacts of some rows, and adds what the API answers to the progress. */
async function sendBatch(
  rows: readonly CsvRow[],
  { mapping, progress, send }: { mapping: Mapping; progress: Progress; send: Send },
): Promise<void> {
  const { counts, faults, changes, created } = progress
  const results = rows.map((row) => ({ row, result: contactOf(row, mapping) }))
  const items = results.flatMap(({ row, result }) =>
    'fault' in result ? [] : [{ row, contact: result.contact }],
  )
  const contacts = items.map(({ contact }) => contact)
  const answers =
    items.length === 0
      ? []
      : await send(
          contacts,
          items.map(({ row }) => row.row),
        )
  const addFault = (row: CsvRow, reason: string) => {
    faults.push({ ...row, reason })
    counts.failed += 1
  }
  for (const { row, result } of results) if ('fault' in result) addFault(row, result.fault)
  for (const [index, { row, contact }] of items.entries()) {
    const answer = answers[index] ?? { fault: '' }
    if ('fault' in answer) {
      addFault(row, answer.fault)
      continue
    }
    const { action, id, fields = {} } = answer
    const sameAs = takeAddress(row, contact.email, progress)
    const outcome = sameAs === undefined ? action : 'merged'
    counts[outcome] += 1
    if (outcome === 'create') created.add(row.row)
    const isShown = outcome === 'update' || outcome === 'merged'
    if (isShown && changes.length < changesMax)
      changes.push({ row: row.row, email: contact.email, id, sameAs, fields })
  }
}

const path = '/api/contacts/batch/new'
type Errors = Readonly<Record<number, { message: string }>>

interface DryRun {
  plan: (Schema<'ContactPlan'> | null)[]
  errors: Errors
}

interface Saved {
  statusCodes: number[]
  errors: Errors
}

async function saveBatch(body: Schema<'ContactInput'>[]): Promise<Saved> {
  try {
    const answer = await ask('POST', path, { query: { fields: 'id' }, body })
    return answer.body
  } catch (error) {
    // A batch of which no item could be saved is answered 400, with the reasons.
    const isAnswer =
      error instanceof ApiFault && error.status === 400 && 'statusCodes' in error.answer
    if (isAnswer) return error.answer as unknown as Saved
    throw error
  }
}

/** Notes the address of a row. Returns the earlier row that has it. */
function takeAddress({ row }: CsvRow, email: string, { addresses }: Progress): number | undefined {
  const key = email.normalize('NFC').toLowerCase()
  const earlier = addresses.get(key)
  if (earlier === undefined) addresses.set(key, row)
  return earlier
}

function describeError(error: unknown): string {
  const { message = '', details = {} } = (error ?? {}) as {
    message?: string
    details?: Record<string, string[]>
  }
  const reasons = Object.entries(details).map(([field, each]) => `${field} ${each.join(', ')}`)
  return reasons.length === 0 ? message : reasons.join('; ')
}
