import { AppError } from '../../kit/app-error.ts'
import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { createPacer } from '../../kit/pause.ts'
import type { OwnColumns, RecordRow } from '../../storage/index.ts'
import {
  existsFor,
  faultsPerItem,
  type Prepared,
  type ResourceDefinition,
  type WriteTest,
} from '../definition.ts'
import type { SeenRevisions } from '../resource-service.ts'
import { FutureRows } from './future-rows.ts'

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
  /** Negative for a new record: later items of the request refer to it by this id. */
  id: number
  /** Whether the record has these columns already. */
  isUnchanged: boolean
  /** Writes its test, where the request asks for one. */
  writeTest?: WriteTest
}

/** Prepares items in order, each for the records as the items before it will leave them. Pauses in between. */
export async function prepareItems<Row extends RecordRow, Item, Input>(
  definition: ResourceDefinition<Row, Item, Input>,
  requests: readonly ItemRequest<Input>[],
  caller: Caller,
): Promise<BatchItemResult<PreparedItem<Row, Input>>[]> {
  const future = await FutureRows.read(definition, requests)
  const faultsMax = faultsPerItem(requests.length)
  const preparing = { definition, future, faultsMax, caller }
  const pace = createPacer()
  const results: BatchItemResult<PreparedItem<Row, Input>>[] = []
  for (const request of requests) {
    results.push(await runItem(() => prepareItem(preparing, request)))
    await pace()
  }
  return results
}

interface Preparing<Row extends RecordRow, Item, Input> {
  definition: ResourceDefinition<Row, Item, Input>
  future: FutureRows<Row>
  faultsMax: number
  caller: Caller
}

async function prepareItem<Row extends RecordRow, Item, Input>(
  preparing: Preparing<Row, Item, Input>,
  request: ItemRequest<Input>,
): Promise<PreparedItem<Row, Input>> {
  const { definition, future, faultsMax, caller } = preparing
  const current = future.find(request.id)
  if (current !== undefined) {
    if (!existsFor(definition, current, caller)) throw definition.notFound(current.id)
    return prepareEdit(preparing, request, current)
  }
  if (request.id !== undefined) checkCreating(definition, { ...request, id: request.id }, caller)
  const input = request.values as Input
  const same = future.findSame(definition.identity?.of(input))
  if (same !== undefined) return prepareMerge(preparing, input, same)
  const { pending } = future
  const item = { input, current, mode: 'put' as const, pending, faultsMax, caller }
  const prepared = await definition.prepare(item)
  const id = future.put(undefined, prepared.columns)
  return { ...prepared, input, current, id, isUnchanged: false }
}

async function prepareEdit<Row extends RecordRow, Item, Input>(
  { definition, future, faultsMax, caller }: Preparing<Row, Item, Input>,
  request: ItemRequest<Input>,
  current: Row,
): Promise<PreparedItem<Row, Input>> {
  definition.checkChangeable?.(current, caller)
  checkRevision(current, request.seen)
  const { id } = current
  const { mode, values } = request
  const input = mode === 'put' ? values : { ...(await definition.toInput(current)), ...values }
  const { pending } = future
  const prepared = await definition.prepare({ input, current, mode, pending, faultsMax, caller })
  const { columns } = prepared
  checkPublishing(definition.area, { current, columns }, caller)
  if (isUnchanged(current, columns)) return { ...prepared, input, current, id, isUnchanged: true }
  future.put(current, columns)
  return { ...prepared, input, current, id, isUnchanged: false }
}

/** Creating a record with the identity of another one changes that one. */
function prepareMerge<Row extends RecordRow, Item, Input>(
  preparing: Preparing<Row, Item, Input>,
  input: Input,
  current: Row,
): Promise<PreparedItem<Row, Input>> {
  const { definition, caller } = preparing
  const { area, identity } = definition
  if (!caller.can(`${area}:edit`)) {
    const record = current.id > 0 ? `Record ${current.id}` : 'An earlier item'
    const message = `${record} has the same ${identity?.name}, and you may not change it (${area}:edit).`
    throw new AppError('forbidden', 'edit_forbidden', message)
  }
  return prepareEdit(preparing, { mode: 'patch', values: input }, current)
}

/** A replacement of a missing record creates one; a PATCH does not. */
function checkCreating<Row extends RecordRow, Item, Input>(
  { area, notFound }: ResourceDefinition<Row, Item, Input>,
  { id, mode, seen }: ItemRequest<Input> & { id: number },
  caller: Caller,
): void {
  if (mode === 'patch' || seen !== undefined) throw notFound(id)
  if (caller.can(`${area}:create`)) return
  const message = `There is no ${id}, and you may not create (${area}:create).`
  throw new AppError('forbidden', 'create_forbidden', message)
}

function checkPublishing<Row extends RecordRow>(
  area: string,
  { current, columns }: { current: Row; columns: OwnColumns<Row> },
  caller: Caller,
): void {
  const { is_published: isPublished } = columns as unknown as RecordRow
  if (isPublished === Boolean(current.is_published)) return
  if (caller.can(`${area}:publish`)) return
  const message = `You may not change isPublished (${area}:publish).`
  throw new AppError('forbidden', 'publish_forbidden', message)
}

/** Throws an AppError (`conflict`) where a record is at none of the revisions that the caller has seen. */
export function checkRevision(current: RecordRow, seen: SeenRevisions): void {
  if (seen === undefined || seen.includes(current.revision)) return
  const message =
    `${current.modified_by ?? 'Another caller'} has changed it since you read it. ` +
    'Read it again and repeat your change.'
  throw new AppError('conflict', 'edit_conflict', message)
}

/** SQLite has booleans as 0 and 1. */
function isUnchanged<Row extends RecordRow>(current: Row, columns: OwnColumns<Row>): boolean {
  const before = current as Record<string, unknown>
  return Object.entries(columns).every(([name, value]) =>
    typeof value === 'boolean' ? Boolean(before[name]) === value : before[name] === value,
  )
}
