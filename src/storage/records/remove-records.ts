import { failed, type Outcome } from '../../kit/outcome.ts'
import { pause } from '../../kit/pause.ts'
import type { EntryRemoval } from '../../kit/resource.ts'
import { checkRevision, chunkSize, lockRows } from './edit-records.ts'
import type { RecordRow } from './record-table.ts'
import { type RecordWork, tryOne, type Written } from './record-work.ts'

/** Removes each record for good, where it is as the caller knows it; answers with what it was. */
export async function removeRecords<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  removals: readonly EntryRemoval[],
): Promise<Outcome<Written<Row>>[]> {
  const { tx, rules } = work
  const items = await rules.begin(work.context)
  const rows = await lockRows(
    work,
    removals.map(({ id }) => id),
  )
  // What could not be removed is not tried again for each time that it is named.
  const refused = new Map<number, Outcome<Written<Row>>>()
  const removeOne = async ({ id, seen }: EntryRemoval): Promise<Outcome<Written<Row>>> => {
    const row = rows.get(id)
    if (row === undefined) return failed(rules.notFound(id))
    const outcome = await tryOne(async () => {
      checkRevision(row, seen)
      await items.checkRemoval?.(row)
      await tx.deleteFrom(rules.table).where('id', '=', id).execute()
      return { row, isNew: false }
    })
    if (outcome.ok) rows.delete(id)
    else if (seen === undefined) refused.set(id, outcome)
    return outcome
  }
  const outcomes: Outcome<Written<Row>>[] = []
  for (const [index, removal] of removals.entries()) {
    outcomes.push(refused.get(removal.id) ?? (await removeOne(removal)))
    if (index % chunkSize === chunkSize - 1) await pause()
  }
  return outcomes
}
