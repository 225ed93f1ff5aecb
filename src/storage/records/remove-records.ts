import type { Transaction } from 'kysely'
import { failed, type Outcome } from '../../kit/outcome.ts'
import { createPacer } from '../../kit/pause.ts'
import type { ChangeContext, EntryRemoval } from '../../kit/resource.ts'
import { checkRevision, readRows } from './read-rows.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordParts, RecordTables, RecordWork, Written } from './record-work.ts'
import { tryOne } from './try-one.ts'

/** Removes each record for good, where it is as the caller knows it, in one transaction; answers with what it was. */
export async function removeRecords<Row extends RecordRow, Input>(
  { storage, rules, clock }: RecordParts<Row, Input>,
  removals: readonly EntryRemoval[],
  { caller, isAtomic }: ChangeContext,
): Promise<Outcome<Written<Row>>[]> {
  return storage.transaction(
    async (tx: Transaction<RecordTables>) => {
      if (rules.lock !== undefined) await storage.lock(tx, rules.lock)
      return removeEach<Row, Input>({ tx, rules, caller, clock }, removals)
    },
    { keeps: (outcomes) => !isAtomic || outcomes.every(({ ok }) => ok), checksConstraints: true },
  )
}

async function removeEach<Row extends RecordRow, Input>(
  { tx, rules, caller }: RecordWork<Row, Input>,
  removals: readonly EntryRemoval[],
): Promise<Outcome<Written<Row>>[]> {
  const write = rules.begin?.({ tx: tx as unknown as Transaction<object>, caller }) ?? {}
  const values = removals.map(({ id }) => id)
  const locked = await readRows<Row>(tx, { table: rules.table, values, isLocked: true })
  const rows = new Map(locked.map((row) => [row.id, row]))
  // What could not be removed is not tried again for each time that it is named.
  const refused = new Map<number, Outcome<Written<Row>>>()
  const removeOne = async ({ id, seen }: EntryRemoval): Promise<Outcome<Written<Row>>> => {
    const row = rows.get(id)
    if (row === undefined) return failed(rules.notFound(id))
    const outcome = await tryOne(async () => {
      checkRevision(row, seen)
      await write.checkRemoval?.(row)
      const consequence = await write.describeRemoval?.(row)
      await tx.deleteFrom(rules.table).where('id', '=', id).execute()
      return { row, isNew: false, consequence }
    })
    if (outcome.ok) rows.delete(id)
    else if (seen === undefined) refused.set(id, outcome)
    return outcome
  }
  const outcomes: Outcome<Written<Row>>[] = []
  const pace = createPacer()
  for (const removal of removals) {
    outcomes.push(refused.get(removal.id) ?? (await removeOne(removal)))
    await pace()
  }
  return outcomes
}
