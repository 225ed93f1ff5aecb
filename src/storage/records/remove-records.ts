import { failed, type Outcome } from '../../kit/outcome.ts'
import { pause } from '../../kit/pause.ts'
import { tryOne } from './create-records.ts'
import { chunkSize, lockRows } from './edit-records.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordWork, Written } from './record-work.ts'

/** Removes each record for good; answers with what it was. */
export async function removeRecords<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  ids: readonly number[],
): Promise<Outcome<Written<Row>>[]> {
  const { tx, rules } = work
  const items = await rules.begin(work.context)
  const rows = await lockRows(work, ids)
  // What could not be removed is not tried again for each time that it is named.
  const refused = new Map<number, Outcome<Written<Row>>>()
  const removeOne = async (id: number): Promise<Outcome<Written<Row>>> => {
    const row = rows.get(id)
    if (row === undefined) return failed(rules.notFound(id))
    const outcome = await tryOne(async () => {
      await items.checkRemoval?.(row)
      await tx.deleteFrom(rules.table).where('id', '=', id).execute()
      return { row, isNew: false }
    })
    if (outcome.ok) rows.delete(id)
    else refused.set(id, outcome)
    return outcome
  }
  const outcomes: Outcome<Written<Row>>[] = []
  for (const [index, id] of ids.entries()) {
    outcomes.push(refused.get(id) ?? (await removeOne(id)))
    if (index % chunkSize === chunkSize - 1) await pause()
  }
  return outcomes
}
