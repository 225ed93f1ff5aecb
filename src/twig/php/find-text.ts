import type { Meter } from '../values/meter.ts'

/** Needles of up to so many characters are left to V8: its search takes at worst their product with the text's length. */
const shortNeedle = 16

/** Finds the places of one needle in one text, in time that is linear in both. */
export interface TextFinder {
  /** Where the needle begins, at `from` or later; -1 where it does not occur. */
  next(from: number): number
  /** Where the needle begins for the last time; -1 where it does not occur. */
  last(): number
}

/**
 * Charges for one pass over the text, then searches it. V8's `indexOf` takes half a minute for a needle of 300,000
 * characters at worst (Boyer and Moore), so long needles are found as Knuth, Morris and Pratt do it.
 */
export function createTextFinder(text: string, needle: string, meter: Meter): TextFinder {
  if (needle.length > text.length) return { next: () => -1, last: () => -1 }
  meter.spendOnCharacters(text.length + needle.length)
  if (needle.length <= shortNeedle) {
    return { next: (from) => text.indexOf(needle, from), last: () => text.lastIndexOf(needle) }
  }
  meter.spendOnCharacters(text.length)
  meter.allocate(needle.length * 4)
  const borders = bordersOf(needle)
  return {
    next(from) {
      let at = -1
      scan({ text, needle, borders }, from, (found) => {
        at = found
        return false
      })
      return at
    },
    last() {
      let at = -1
      scan({ text, needle, borders }, 0, (found) => {
        at = found
        return true
      })
      return at
    },
  }
}

/** Whether a text holds a needle. */
export function includesText(text: string, needle: string, meter: Meter): boolean {
  return createTextFinder(text, needle, meter).next(0) !== -1
}

/** The pieces between the needles, each asked for before it is made. An empty needle is the caller's matter. */
export function splitText(text: string, needle: string, meter: Meter): string[] {
  const finder = createTextFinder(text, needle, meter)
  const pieces: string[] = []
  let start = 0
  for (let at = finder.next(0); at !== -1; at = finder.next(start)) {
    meter.allocateElements(1)
    pieces.push(text.slice(start, at))
    start = at + needle.length
  }
  pieces.push(text.slice(start))
  return pieces
}

/** For each beginning of the needle, the length of its longest border: a beginning that is also its end. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length)
  let length = 0
  for (let index = 1; index < needle.length; index++) {
    const unit = needle.charCodeAt(index)
    while (length > 0 && unit !== needle.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (unit === needle.charCodeAt(length)) length++
    borders[index] = length
  }
  return borders
}

interface Search {
  text: string
  needle: string
  borders: Int32Array
}

/** Calls `found` with each place where the needle begins, overlapping ones too, while it answers true. */
function scan(
  { text, needle, borders }: Search,
  from: number,
  found: (at: number) => boolean,
): void {
  let matched = 0
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    while (matched > 0 && unit !== needle.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (unit === needle.charCodeAt(matched)) matched++
    if (matched < needle.length) continue
    if (!found(index + 1 - needle.length)) return
    matched = borders[matched - 1] ?? 0
  }
}
