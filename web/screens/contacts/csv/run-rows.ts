import type { CsvRow } from '../../../../src/kit/read-csv.ts'
import { ApiFault, ask, type Schema } from '../../../lib/api.ts'
import { type CsvFile, readRows } from './read-csv.ts'
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

export type RowOutcome = 'create' | 'update' | 'none' | 'merged' | 'failed'

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

type Send = (batch: Batch, progress: Progress) => Promise<void>

/** Asks the API what the rows would change. Nothing is saved. */
export function checkRows(options: RunOptions): Promise<void> {
  return runRows(options, checkBatch)
}

/**
 * Imports the rows, in batches. One that failed can be continued with the same progress: its last batch is sent again,
 * which changes nothing where it was saved, because contacts are recognised by their addresses.
 *
 * @param planned The rows that create a contact, as the check found.
 */
export function importRows(options: RunOptions, planned: ReadonlySet<number>): Promise<void> {
  return runRows(options, (batch, progress) => importBatch(batch, progress, planned))
}

async function runRows({ csv, mapping, progress, signal, onProgress }: RunOptions, send: Send) {
  const skipped = progress.done
  let place = -1
  let rows: CsvRow[] = []
  const sendRows = async () => {
    if (signal.aborted || rows.length === 0) return
    await send(createBatch(rows, mapping), progress)
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

interface Batch {
  faults: RowFault[]
  items: { row: CsvRow; contact: ContactOfRow }[]
}

function createBatch(rows: readonly CsvRow[], mapping: Mapping): Batch {
  const batch: Batch = { faults: [], items: [] }
  for (const row of rows) {
    const result = contactOf(row, mapping)
    if ('fault' in result) batch.faults.push({ ...row, reason: result.fault })
    else batch.items.push({ row, contact: result.contact })
  }
  return batch
}

async function checkBatch(batch: Batch, progress: Progress): Promise<void> {
  const body = batch.items.map(({ contact }) => contact)
  const { plan, errors } = body.length === 0 ? nothing : await planBatch(body)
  addFaults(batch.faults, progress)
  for (const [index, { row, contact }] of batch.items.entries()) {
    const planned = plan[index]
    if (planned === null || planned === undefined) {
      addFaults([{ ...row, reason: describeError(errors[index]) }], progress)
      continue
    }
    const earlier = takeAddress(row, contact.email, progress)
    const outcome = earlier === undefined ? planned.action : 'merged'
    progress.counts[outcome] += 1
    if (outcome === 'create') progress.created.add(row.row)
    const isShown = outcome === 'update' || outcome === 'merged'
    if (isShown && progress.changes.length < changesMax)
      progress.changes.push({
        row: row.row,
        email: contact.email,
        id: planned.id,
        sameAs: earlier,
        fields: planned.fields ?? {},
      })
  }
}

async function importBatch(
  batch: Batch,
  progress: Progress,
  planned: ReadonlySet<number>,
): Promise<void> {
  const body = batch.items.map(({ contact }) => contact)
  const { statusCodes, errors } = body.length === 0 ? nothing : await saveBatch(body)
  addFaults(batch.faults, progress)
  for (const [index, { row, contact }] of batch.items.entries()) {
    const code = statusCodes[index] ?? 0
    if (code !== 200 && code !== 201) {
      addFaults([{ ...row, reason: describeError(errors[index]) }], progress)
      continue
    }
    const earlier = takeAddress(row, contact.email, progress)
    // A batch that is sent again finds the contacts that it created before its answer was lost.
    const isNew = code === 201 || planned.has(row.row)
    progress.counts[earlier === undefined ? (isNew ? 'create' : 'update') : 'merged'] += 1
  }
}

const path = '/api/contacts/batch/new'
const nothing: DryRun & Saved = { plan: [], statusCodes: [], errors: {} }

interface DryRun {
  plan: (Schema<'ContactPlan'> | null)[]
  errors: Errors
}

interface Saved {
  statusCodes: number[]
  errors: Errors
}
type Errors = Readonly<Record<number, { message: string }>>

async function planBatch(body: Schema<'ContactInput'>[]): Promise<DryRun> {
  const answer = await ask('POST', path, { query: { dryRun: 1 }, body, isRead: true })
  return answer.body as DryRun
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

function addFaults(faults: readonly RowFault[], { faults: all, counts }: Progress): void {
  all.push(...faults)
  counts.failed += faults.length
}

function describeError(error: unknown): string {
  const { message = '', details = {} } = (error ?? {}) as {
    message?: string
    details?: Record<string, string[]>
  }
  const reasons = Object.entries(details).map(([field, each]) => `${field} ${each.join(', ')}`)
  return reasons.length === 0 ? message : reasons.join('; ')
}
