import { AppError } from '../../kit/app-error.ts'
import { done, failed, type Outcome } from '../../kit/outcome.ts'
import { pause } from '../../kit/pause.ts'
import { validationError } from '../validation.ts'
import type { EntryCheck } from './entry-check.ts'

/** How many items one batch may have. */
const itemsMax = 10_000
const checkedAtOnce = 500

/** The items of a batch: a list, or the values of an object, as Mautic takes them. */
export function readItems(body: unknown): unknown[] {
  const items = Object.values(body ?? {})
  checkCount(items.length)
  return items
}

/** The ids of `?ids=1,2`, `?ids[]=1&ids[]=2` and `?ids[0]=1`. Throws an AppError (`invalid`) where there is none. */
export function readIds(value: unknown): number[] {
  const texts = typeof value === 'string' ? value.split(',') : Object.values(value ?? {})
  const given = texts.filter((text) => text !== '')
  if (given.length === 0) throw validationError({ ids: ['is required, such as ids=1,2'] })
  checkCount(given.length)
  return given.map((text: unknown) => {
    if (typeof text === 'string' && /^\d+$/.test(text.trim())) {
      return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
    }
    throw validationError({ ids: ['must be whole numbers, separated by commas'] })
  })
}

/** Checks each item by itself, letting others have their turn. */
export async function checkItems<Item>(
  items: readonly unknown[],
  check: EntryCheck,
): Promise<Outcome<Item>[]> {
  const outcomes: Outcome<Item>[] = []
  for (const item of items) {
    const result = check(item, idOf(item))
    const error = result instanceof Promise ? await result : result
    outcomes.push(error === undefined ? done(item as Item) : failed(error))
    if (outcomes.length % checkedAtOnce === 0) await pause()
  }
  return outcomes
}

/**
 * Hands the items that passed to `run`, and puts its answers between the errors of the others. Where
 * one item that fails is to undo all, and one has failed already, nothing is run.
 */
export async function runItems<Item, Answer>(
  items: readonly Outcome<Item>[],
  isAtomic: boolean,
  run: (items: Item[]) => Promise<Outcome<Answer>[]>,
): Promise<Outcome<Answer | undefined>[]> {
  const good = items.flatMap((item) => (item.ok ? [item.value] : []))
  if (isAtomic && good.length < items.length) {
    return items.map((item) => (item.ok ? done(undefined) : item))
  }
  const answers = (await run(good)).values()
  return items.map((item) => {
    if (!item.ok) return item
    const { value, done: isOver } = answers.next()
    if (isOver === true) throw new Error('A batch was answered with fewer items than it had.')
    return value
  })
}

function idOf(item: unknown): number | undefined {
  const id = (item as { id?: unknown } | null | undefined)?.id
  return Number.isSafeInteger(id) ? (id as number) : undefined
}

function checkCount(count: number): void {
  if (count <= itemsMax) return
  const message = `A batch may have ${itemsMax} items; this one has ${count}. Send it in parts.`
  throw new AppError('too_large', 'batch_too_large', message)
}
