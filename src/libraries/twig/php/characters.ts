import { CollectionBuilder, entriesOf, isList, sizeOf } from '../values/collections.ts'
import type { Collection } from '../values/value.ts'

/** Splits a string into code points, which PHP's `mb_` functions count. */
export function characters(text: string): string[] {
  return Array.from(text)
}

/** Splits a string into pieces of a number of code points. */
export function chunks(text: string, size: number): string[] {
  const all = characters(text)
  if (all.length <= size) return [text]
  const pieces: string[] = []
  for (let i = 0; i < all.length; i += size) pieces.push(all.slice(i, i + size).join(''))
  return pieces
}

/** Counts the code points of a string. */
export function lengthInCharacters(text: string): number {
  let pairs = 0
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(i + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      pairs++
      i++
    }
  }
  return text.length - pairs
}

/** Returns the index `count` code points after `from`. */
function offsetAfter(text: string, from: number, count: number): number {
  let at = from
  for (let left = count; left > 0 && at < text.length; left--) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }
  return at
}

/**
 * Returns the start and end of PHP's `array_slice` and `mb_substr`. Negative numbers count from the
 * end.
 */
function bounds(size: number, start: number, length: number | undefined): [number, number] {
  const from = start < 0 ? Math.max(0, size + start) : Math.min(start, size)
  if (length === undefined) return [from, size]
  const to = length < 0 ? size + length : Math.min(size, from + length)
  return [from, Math.max(from, to)]
}

/** PHP's `array_slice`. Numbered elements get new numbers unless keys are preserved. */
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
    builder.add(key, value, preservesKeys)
  }
  return builder.build()
}

/** PHP's `mb_substr`. */
export function sliceText(text: string, start: number, length: number | undefined): string {
  const size = lengthInCharacters(text)
  const [from, to] = bounds(size, start, length)
  if (size === text.length) return text.slice(from, to)
  const first = offsetAfter(text, 0, from)
  return text.slice(first, offsetAfter(text, first, to - from))
}
