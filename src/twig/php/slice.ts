import { CollectionBuilder, entriesOf, isList, sizeOf } from '../values/collections.ts'
import type { Collection } from '../values/value.ts'
import { lengthInCharacters, unitsOf } from './characters.ts'

/** Where PHP's `array_slice` and `mb_substr` begin and end: negative numbers count from the end. */
function bounds(size: number, start: number, length: number | undefined): [number, number] {
  const from = start < 0 ? Math.max(0, size + start) : Math.min(start, size)
  if (length === undefined) return [from, size]
  const to = length < 0 ? size + length : Math.min(size, from + length)
  return [from, Math.max(from, to)]
}

/** PHP's `array_slice`. Numbered elements are numbered anew, unless keys are preserved. */
export function sliceCollection(
  collection: Collection,
  [start, length]: [start: number, length: number | undefined],
  preservesKeys: boolean,
): Collection {
  const [from, to] = bounds(sizeOf(collection), start, length)
  if (isList(collection) && (!preservesKeys || from === 0)) return collection.slice(from, to)
  const builder = new CollectionBuilder()
  let index = 0
  for (const [key, value] of entriesOf(collection)) {
    if (index >= to) break
    if (index++ < from) continue
    if (typeof key === 'number' && !preservesKeys) builder.append(value)
    else builder.set(key, value)
  }
  return builder.build()
}

/** PHP's `mb_substr`. */
export function sliceText(text: string, start: number, length: number | undefined): string {
  const size = lengthInCharacters(text)
  const [from, to] = bounds(size, start, length)
  if (size === text.length) return text.slice(from, to)
  const first = unitsOf(text, 0, from)
  return text.slice(first, unitsOf(text, first, to - from))
}
