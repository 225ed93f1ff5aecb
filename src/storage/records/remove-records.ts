import { failed, type Outcome } from '../../kit/outcome.ts'
import { tryOne } from './create-records.ts'
import { lockRows } from './edit-records.ts'
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
  const outcomes: Outcome<Written<Row>>[] = []
  for (const id of ids) {
    const row = rows.get(id)
    if (row === undefined) {
      outcomes.push(failed(rules.notFound(id)))
      continue
    }
    const outcome = await tryOne(async () => {
      await items.checkRemoval?.(row)
      await tx.deleteFrom(rules.table).where('id', '=', id).execute()
      return { row, isNew: false }
    })
    if (outcome.ok) rows.delete(id)
    outcomes.push(outcome)
  }
  return outcomes
}
