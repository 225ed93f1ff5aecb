import { sql } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Outcome } from '../../kit/outcome.ts'
import { pause } from '../../kit/pause.ts'
import type { EntryChange, SeenRevisions } from '../../kit/resource.ts'
import { ConstraintError } from '../storage-error.ts'
import { insertRecords } from './insert-records.ts'
import type { ItemRules, OwnColumns } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import { type RecordWork, tryOne, type Written } from './record-work.ts'

/** After so many, others have their turn. */
export const chunkSize = 200

/** Changes a record for each of the changes, one after the other. */
export async function editRecords<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  changes: readonly EntryChange<Input>[],
): Promise<Outcome<Written<Row>>[]> {
  const items = await work.rules.begin(work.context)
  const outcomes: Outcome<Written<Row>>[] = []
  const rows = await lockRows(
    work,
    changes.map(({ id }) => id),
  )
  for (const [index, change] of changes.entries()) {
    const outcome = await tryOne(() =>
      editOne(work, items, { change, current: rows.get(change.id) }),
    )
    if (outcome.ok && !outcome.value.isNew) rows.set(outcome.value.row.id, outcome.value.row)
    outcomes.push(outcome)
    if (index % chunkSize === chunkSize - 1) await pause()
  }
  return outcomes
}

/** Reads rows and keeps others from changing them, in id order so that two changes cannot block each other. */
export async function lockRows<Row extends RecordRow, Input>(
  { tx, rules }: RecordWork<Row, Input>,
  ids: readonly number[],
): Promise<Map<number, Row>> {
  const rows = new Map<number, Row>()
  const sorted = [...new Set(ids)].sort((a, b) => a - b)
  for (let start = 0; start < sorted.length; start += chunkSize) {
    const chunk = sorted.slice(start, start + chunkSize)
    const query = tx.selectFrom(rules.table).selectAll().where('id', 'in', chunk)
    const found = await query.orderBy('id').forUpdate().execute()
    for (const row of found) rows.set(row.id, row as unknown as Row)
    if (start > 0) await pause()
  }
  return rows
}

async function editOne<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  items: ItemRules<Row, Input>,
  { change, current }: { change: EntryChange<Input>; current: Row | undefined },
): Promise<Written<Row>> {
  if (current === undefined) return createMissing(work, items, change)
  checkRevision(current, change.seen)
  const input =
    change.mode === 'put' ? change.values : { ...(await items.toInput(current)), ...change.values }
  const columns = await items.toColumns(input, current, change.mode)
  checkPublishing(work, current, columns)
  await checkIdentity(work, current, columns)
  if (isUnchanged(current, columns)) return { row: current, isNew: false }
  const stamp = {
    date_modified: work.clock.now(),
    modified_by: work.context.caller.name,
    modified_by_id: work.context.caller.userId ?? null,
    revision: current.revision + 1,
  }
  const update = work.tx.updateTable(work.rules.table).set({ ...columns, ...stamp })
  await update.where('id', '=', current.id).execute()
  const row = { ...current, ...columns, ...stamp }
  await items.afterWrite?.([row], [input], current)
  return { row, isNew: false }
}

async function createMissing<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  items: ItemRules<Row, Input>,
  change: EntryChange<Input>,
): Promise<Written<Row>> {
  const { rules, context } = work
  if (change.mode === 'patch' || change.seen !== undefined) throw rules.notFound(change.id)
  if (!context.caller.can(`${rules.area}:create`)) {
    const message = `There is no ${change.id}, and you may not create (${rules.area}:create).`
    throw new AppError('forbidden', 'create_forbidden', message)
  }
  const [row] = await insertRecords(work, [await items.toColumns(change.values, undefined, 'put')])
  if (row === undefined) return changeSame(work, items, change.values)
  await items.afterWrite?.([row], [change.values])
  return { row, isNew: true }
}

/** Changes the record that has the identity of one that was to be created. */
export async function changeSame<Row extends RecordRow, Input>(
  work: RecordWork<Row, Input>,
  items: ItemRules<Row, Input>,
  input: Input,
): Promise<Written<Row>> {
  const { rules, context, tx } = work
  if (rules.identity === undefined) throw new Error('The database inserted nothing.')
  const { column, merge } = rules.identity
  const value = (await items.toColumns(input, undefined, 'put'))[column]
  const query = tx.selectFrom(rules.table).selectAll().where(sql.ref(column), '=', value)
  const current = (await query.forUpdate().executeTakeFirst()) as unknown as Row | undefined
  // It was deleted between the insertion and this query.
  if (current === undefined) throw new ConstraintError('unique', [column], undefined)
  if (!context.caller.can(`${rules.area}:edit`)) {
    const message = `Record ${current.id} has the same ${rules.nameColumn}, and you may not change it (${rules.area}:edit).`
    throw new AppError('forbidden', 'edit_forbidden', message)
  }
  const change = { id: current.id, mode: 'patch' as const, values: merge(input, current) }
  return editOne(work, items, { change, current })
}

/** Throws where another record has the identity that a record is to get. */
async function checkIdentity<Row extends RecordRow, Input>(
  { tx, rules }: RecordWork<Row, Input>,
  current: Row,
  columns: OwnColumns<Row>,
): Promise<void> {
  if (rules.identity === undefined) return
  const { column, taken } = rules.identity
  const value = columns[column]
  if (value === null || value === current[column]) return
  const query = tx.selectFrom(rules.table).select('id').where(sql.ref(column), '=', value)
  const other = await query.executeTakeFirst()
  if (other !== undefined) throw taken(other.id, String(value))
}

/** A boolean may stand as 0 or 1 in the row. */
function isUnchanged<Row extends RecordRow>(current: Row, columns: OwnColumns<Row>): boolean {
  const before = current as Record<string, unknown>
  return Object.entries(columns).every(([name, value]) =>
    typeof value === 'boolean' ? Boolean(before[name]) === value : before[name] === value,
  )
}

/** Throws an AppError (`conflict`) where a record is at none of the revisions that the caller knows. */
export function checkRevision(current: RecordRow, seen: SeenRevisions): void {
  if (seen === undefined || seen.includes(current.revision)) return
  const message =
    `Somebody else${current.modified_by === null ? '' : `, ${current.modified_by},`} has changed it ` +
    'since you read it. Read it again and repeat your change.'
  throw new AppError('conflict', 'edit_conflict', message)
}

function checkPublishing<Row extends RecordRow, Input>(
  { rules, context }: RecordWork<Row, Input>,
  current: Row,
  columns: OwnColumns<Row>,
): void {
  const { is_published: isPublished } = columns as unknown as RecordRow
  if (isPublished === Boolean(current.is_published)) return
  if (context.caller.can(`${rules.area}:publish`)) return
  const message = `You may not change isPublished (${rules.area}:publish).`
  throw new AppError('forbidden', 'publish_forbidden', message)
}
