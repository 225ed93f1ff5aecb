import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { done, failed, type Outcome } from '../../kit/outcome.ts'
import { pause } from '../../kit/pause.ts'
import type { OwnColumns } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordWork, Written } from './record-work.ts'

/** How many rows one statement inserts. */
const chunkSize = 200

/** Creates a record of each input. */
export async function createRecords<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  inputs: readonly Input[],
): Promise<Outcome<Written<Row>>[]> {
  const { rules } = work
  const items = await rules.begin(work.context)
  // Where a name must be unique, each item must see the one before it.
  const size = rules.lock === undefined ? chunkSize : 1
  const outcomes: Outcome<Written<Row>>[] = []
  for (let start = 0; start < inputs.length; start += size) {
    const chunk = inputs.slice(start, start + size)
    const columns = await tryEach(chunk, (input) => items.toColumns(input, undefined, 'put'))
    const good = columns.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
    const rows = (await insertRecords(work, good)).values()
    for (const outcome of columns) {
      outcomes.push(outcome.ok ? done(written(rows.next().value)) : outcome)
    }
    if (start + size < inputs.length) await pause()
  }
  return outcomes
}

/** What a new record says of who made it, and when. */
export function newRecordStamp(caller: Pick<Caller, 'name' | 'userId'>, clock: Clock) {
  return {
    date_added: clock.now(),
    date_modified: null,
    created_by: caller.name,
    created_by_id: caller.userId ?? null,
    modified_by: null,
    modified_by_id: null,
    revision: 1,
  }
}

/** Inserts rows with their stamps; returns them in order, with their ids. */
export async function insertRecords<Row extends RecordRow, Input>(
  { tx, rules, context: { caller }, clock }: RecordWork<Row, Input>,
  columns: readonly OwnColumns<Row>[],
): Promise<Row[]> {
  if (columns.length === 0) return []
  const stamp = newRecordStamp(caller, clock)
  const rows = columns.map((own) => ({ ...own, ...stamp }))
  const inserted = await tx
    .insertInto(rules.table)
    .values(rows as unknown as Omit<RecordRow, 'id'>[])
    .returning('id')
    .execute()
  // Ids are given in the order of the rows, but not necessarily returned in it.
  const ids = inserted.map(({ id }) => id).sort((a, b) => a - b)
  return rows.map((row, index) => ({ id: ids[index], ...row }) as unknown as Row)
}

/** Runs a rule over each item; an AppError fails its item alone. */
export async function tryEach<Item, Value>(
  items: readonly Item[],
  work: (item: Item) => Value | Promise<Value>,
): Promise<Outcome<Value>[]> {
  const outcomes: Outcome<Value>[] = []
  for (const item of items) outcomes.push(await tryOne(() => work(item)))
  return outcomes
}

/** Runs a rule; an AppError is its outcome, unless it is a fault of ours or of the database. */
export async function tryOne<Value>(work: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return done(await work())
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'upstream' && error.kind !== 'internal') {
      return failed(error)
    }
    throw error
  }
}

function written<Row extends RecordRow>(row: Row | undefined): Written<Row> {
  if (row === undefined) throw new Error('The database inserted fewer rows than it was given.')
  return { row, isNew: true }
}
