import type { TObject } from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import { type BatchItemResult, done, failed } from '../../../kit/batch-item-result.ts'
import type { Caller } from '../../../kit/caller.ts'
import { pause } from '../../../kit/pause.ts'
import { batchItemsMax, validationError } from '../../http/index.ts'
import { faultsPerItem } from '../definition.ts'
import { mayView, type ResourceShape } from '../resource-shape.ts'
import type { ValidateItem } from './validate-entry.ts'

const validatedPerTurn = 500

/** The items of a batch: a list, or the values of an object, as Mautic takes them. */
export function readItems(body: unknown): unknown[] {
  const items = Object.values(body ?? {})
  checkCount(items.length)
  return items
}

/** The ids of `?ids=1,2`, `?ids[]=1&ids[]=2` and `?ids[0]=1`. Throws an AppError (`invalid`) where there is none. */
export function readIds(value: unknown): number[] {
  const texts = typeof value === 'string' ? value.split(',') : Object.values(value ?? {})
  const ids = texts.filter((text) => text !== '')
  if (ids.length === 0) throw validationError({ ids: ['is required, such as ids=1,2'] })
  checkCount(ids.length)
  return ids.map((text: unknown) => {
    if (typeof text === 'string' && /^\d+$/.test(text.trim())) {
      return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
    }
    throw validationError({ ids: ['must be whole numbers, separated by commas'] })
  })
}

/** Validates each item by itself, with pauses in between. */
export async function validateItems<Item>(
  items: readonly unknown[],
  validate: ValidateItem,
): Promise<BatchItemResult<Item>[]> {
  const faultsMax = faultsPerItem(items.length)
  const results: BatchItemResult<Item>[] = []
  for (const item of items) {
    const result = validate(item, { id: idOf(item), faultsMax })
    const error = result instanceof Promise ? await result : result
    results.push(error === undefined ? done(item as Item) : failed(error))
    if (results.length % validatedPerTurn === 0) await pause()
  }
  return results
}

/**
 * Runs the valid items, and puts their results between the errors of the others. Nothing is run where the request is
 * atomic and an item is invalid.
 */
export async function runItems<Item, Answer>(
  items: readonly BatchItemResult<Item>[],
  isAtomic: boolean,
  run: (items: Item[]) => Promise<BatchItemResult<Answer>[]>,
): Promise<BatchItemResult<Answer | undefined>[]> {
  const good = items.flatMap((item) => (item.ok ? [item.value] : []))
  if (isAtomic && good.length < items.length) {
    return items.map((item) => (item.ok ? done(undefined) : item))
  }
  const answers = (await run(good)).values()
  return items.map((item) => {
    if (!item.ok) return item
    const { value, done: isOver } = answers.next()
    if (isOver === true)
      throw new Error('The service returned fewer results than the batch has items.')
    return value
  })
}

function idOf(item: unknown): number | undefined {
  const id = (item as { id?: unknown } | null | undefined)?.id
  return Number.isSafeInteger(id) ? (id as number) : undefined
}

/** As `readFields`, for records that the caller deletes or restores. */
export function readShownFields(
  query: Readonly<Record<string, unknown>>,
  shape: Pick<ResourceShape, 'item' | 'area'>,
  caller: Caller,
): readonly string[] | undefined {
  const fields = readFields(query, shape)
  return mayView(caller, shape) ? fields : ['id']
}

function checkCount(count: number): void {
  if (count <= batchItemsMax) return
  const message = `A batch may have ${batchItemsMax} items; this one has ${count}. Send it in parts.`
  throw new AppError('too_large', 'batch_too_large', message)
}

/**
 * Reads `fields=id,name`: the members that each item of the answer keeps; undefined for all.
 *
 * @throws AppError (`invalid`) that lists the known members where one is unknown.
 */
export function readFields(
  { fields }: Readonly<Record<string, unknown>>,
  { item }: Pick<ResourceShape, 'item'>,
): readonly string[] | undefined {
  if (fields === undefined) return undefined
  const known = Object.keys((item as TObject).properties)
  const names = typeof fields === 'string' ? fields.split(',').map((name) => name.trim()) : []
  const isUnknown = names.length === 0 || names.some((name) => !known.includes(name))
  if (isUnknown) throw validationError({ fields: [`must be a list of ${known.join(', ')}`] })
  return names
}
