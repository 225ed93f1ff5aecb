import { done, type Outcome } from '../../kit/outcome.ts'
import { pause } from '../../kit/pause.ts'
import { changeSame } from './edit-records.ts'
import { insertRecords } from './insert-records.ts'
import type { ItemRules } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import { type RecordWork, tryEach, tryOne, type Written } from './record-work.ts'

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
    outcomes.push(...(await createChunk(work, items, chunk)))
    if (start + size < inputs.length) await pause()
  }
  return outcomes
}

async function createChunk<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  items: ItemRules<Row, Input>,
  inputs: readonly Input[],
): Promise<Outcome<Written<Row>>[]> {
  const columns = await tryEach(inputs, (input) => items.toColumns(input, undefined, 'put'))
  const good = columns.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
  const rows = (await insertRecords(work, good)).values()
  const inserted = columns.map((outcome) => (outcome.ok ? rows.next().value : undefined))
  const written = inserted.filter((row) => row !== undefined)
  const inputsWritten = inputs.filter((_input, index) => inserted[index] !== undefined)
  if (written.length > 0) await items.afterWrite?.(written, inputsWritten)
  const outcomes: Outcome<Written<Row>>[] = []
  for (const [index, input] of inputs.entries()) {
    const row = inserted[index]
    const outcome = columns[index]
    if (row !== undefined) outcomes.push(done({ row, isNew: true }))
    else if (outcome?.ok === false) outcomes.push(outcome)
    else outcomes.push(await tryOne(() => changeSame(work, items, input)))
  }
  return outcomes
}
