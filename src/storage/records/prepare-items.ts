import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Outcome } from '../../kit/outcome.ts'
import { createPacer } from '../../kit/pause.ts'
import type { SeenRevisions } from '../../kit/resource.ts'
import { FutureRows } from './future-rows.ts'
import { checkRevision } from './read-rows.ts'
import type { OwnColumns, Prepared, RecordRules } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordParts } from './record-work.ts'
import { tryOne } from './try-one.ts'

/** A record that is to be created (without an id) or changed. */
export type ItemRequest<Input> = { id?: number; seen?: SeenRevisions } & (
  | { mode: 'patch'; values: Partial<Input> }
  | { mode: 'put'; values: Input }
)

/** An item that is ready to be written. */
export interface PreparedItem<Row extends RecordRow, Input> extends Prepared<Row> {
  input: Input
  /** The record that it was prepared for; undefined where it is new. */
  current: Row | undefined
  /** Negative for a new record, whose id later items of the request are prepared with. */
  id: number
  /** Whether the record is so already. */
  isUnchanged: boolean
}

/** Prepares items, each as the ones before it will leave the records; lets others have their turn in between. */
export async function prepareItems<Row extends RecordRow, Input>(
  parts: RecordParts<Row, Input>,
  requests: readonly ItemRequest<Input>[],
  caller: Caller,
): Promise<Outcome<PreparedItem<Row, Input>>[]> {
  const future = await FutureRows.read<Row, Input>(parts, requests)
  const preparing = { rules: parts.rules, future, caller }
  const pace = createPacer()
  const outcomes: Outcome<PreparedItem<Row, Input>>[] = []
  for (const request of requests) {
    outcomes.push(await tryOne(() => prepareItem(preparing, request)))
    await pace()
  }
  return outcomes
}

interface Preparing<Row extends RecordRow, Input> {
  rules: RecordRules<Row, unknown, Input>
  future: FutureRows<Row, Input>
  caller: Caller
}

async function prepareItem<Row extends RecordRow, Input>(
  preparing: Preparing<Row, Input>,
  request: ItemRequest<Input>,
): Promise<PreparedItem<Row, Input>> {
  const { rules, future, caller } = preparing
  const current = future.find(request.id)
  if (current !== undefined) return prepareEdit(preparing, request, current)
  if (request.id !== undefined) checkCreating(rules, { ...request, id: request.id }, caller)
  const input = request.values as Input
  const same = future.findSame(input)
  if (same !== undefined) return prepareMerge(preparing, input, same)
  const { pending } = future
  const prepared = await rules.prepare({ input, current, mode: 'put', pending, caller })
  const id = future.put(undefined, prepared.columns)
  return { ...prepared, input, current, id, isUnchanged: false }
}

async function prepareEdit<Row extends RecordRow, Input>(
  { rules, future, caller }: Preparing<Row, Input>,
  request: ItemRequest<Input>,
  current: Row,
): Promise<PreparedItem<Row, Input>> {
  checkRevision(current, request.seen)
  const { id } = current
  const { mode, values } = request
  const input = mode === 'put' ? values : { ...(await rules.toInput(current)), ...values }
  const { pending } = future
  const prepared = await rules.prepare({ input, current, mode, pending, caller })
  const { columns } = prepared
  checkPublishing(rules, { current, columns }, caller)
  if (isUnchanged(current, columns)) return { ...prepared, input, current, id, isUnchanged: true }
  future.put(current, columns)
  return { ...prepared, input, current, id, isUnchanged: false }
}

/** Creating a record that is the same as another changes that one. */
function prepareMerge<Row extends RecordRow, Input>(
  preparing: Preparing<Row, Input>,
  input: Input,
  current: Row,
): Promise<PreparedItem<Row, Input>> {
  const { rules, caller } = preparing
  if (!caller.can(`${rules.area}:edit`)) {
    const record = current.id > 0 ? `Record ${current.id}` : 'An item before it'
    const message = `${record} has the same ${rules.nameColumn}, and you may not change it (${rules.area}:edit).`
    throw new AppError('forbidden', 'edit_forbidden', message)
  }
  const values = rules.identity?.merge(input, current) ?? {}
  return prepareEdit(preparing, { mode: 'patch', values }, current)
}

/** A replacement of a record that is not there creates one; a change of some values cannot. */
function checkCreating<Row extends RecordRow, Input>(
  rules: RecordRules<Row, unknown, Input>,
  { id, mode, seen }: ItemRequest<Input> & { id: number },
  caller: Caller,
): void {
  if (mode === 'patch' || seen !== undefined) throw rules.notFound(id)
  if (caller.can(`${rules.area}:create`)) return
  const message = `There is no ${id}, and you may not create (${rules.area}:create).`
  throw new AppError('forbidden', 'create_forbidden', message)
}

function checkPublishing<Row extends RecordRow, Input>(
  rules: RecordRules<Row, unknown, Input>,
  { current, columns }: { current: Row; columns: OwnColumns<Row> },
  caller: Caller,
): void {
  const { is_published: isPublished } = columns as unknown as RecordRow
  if (isPublished === Boolean(current.is_published)) return
  if (caller.can(`${rules.area}:publish`)) return
  const message = `You may not change isPublished (${rules.area}:publish).`
  throw new AppError('forbidden', 'publish_forbidden', message)
}

/** A boolean may stand as 0 or 1 in the row. */
function isUnchanged<Row extends RecordRow>(current: Row, columns: OwnColumns<Row>): boolean {
  const before = current as Record<string, unknown>
  return Object.entries(columns).every(([name, value]) =>
    typeof value === 'boolean' ? Boolean(before[name]) === value : before[name] === value,
  )
}
