import type { Meter } from './meter.ts'

/** The engine below looks for longer texts by an algorithm that takes quadratic time at worst. */
const nativeLength = 32
/** For texts of so few characters it takes no longer than for one. */
const shortest = 3

/** So many characters are paid for at once. */
const stretch = 1_024

/** Where a text begins in another, from a position on; -1 where it does not. Linear, whatever the two are. */
export function findText(text: string, wanted: string, from: number, meter: Meter): number {
  const rest = text.length - from
  if (wanted.length <= nativeLength) {
    const at = text.indexOf(wanted, from)
    spendOnSearch(at === -1 ? rest : at - from, wanted, meter)
    return at
  }
  if (wanted.length > rest) return -1
  for (const at of occurrences(text, wanted, { from, meter })) return at
  return -1
}

/** Where a text begins for the last time in another; -1 where it does not. Linear. */
export function findLastText(text: string, wanted: string, meter: Meter): number {
  if (wanted.length <= nativeLength) {
    spendOnSearch(text.length, wanted, meter)
    return text.lastIndexOf(wanted)
  }
  let last = -1
  if (wanted.length > text.length) return last
  for (const at of occurrences(text, wanted, { from: 0, meter })) last = at
  return last
}

/** The pieces of a text between the places of another, which is not empty: at most `limit` of them. */
export function splitText(
  text: string,
  separator: string,
  { meter, limit = Number.POSITIVE_INFINITY }: { meter: Meter; limit?: number },
): string[] {
  const pieces: string[] = []
  let start = 0
  while (pieces.length < limit - 1) {
    const end = findText(text, separator, start, meter)
    if (end === -1) break
    meter.allocateElements(1)
    pieces.push(text.slice(start, end))
    start = end + separator.length
  }
  pieces.push(text.slice(start))
  return pieces
}

function spendOnSearch(length: number, wanted: string, meter: Meter): void {
  if (wanted.length <= shortest) meter.spendOnText(length)
  else meter.spendOnCharacters(length)
}

/** All places of a text in another, overlapping ones too (Knuth, Morris and Pratt). */
function* occurrences(
  text: string,
  wanted: string,
  { from, meter }: { from: number; meter: Meter },
): Generator<number> {
  meter.allocate(wanted.length * 4)
  meter.spendOnCharacters(wanted.length)
  const borders = bordersOf(wanted)
  let matched = 0
  for (let at = from; at < text.length; at++) {
    if ((at - from) % stretch === 0) meter.spendOnCharacters(stretch)
    const unit = text.charCodeAt(at)
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (wanted.charCodeAt(matched) === unit) matched++
    if (matched < wanted.length) continue
    yield at - wanted.length + 1
    matched = borders[matched - 1] ?? 0
  }
}

/** For each beginning of a text: how long its longest end is that is a beginning as well. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length)
  let length = 0
  for (let at = 1; at < wanted.length; at++) {
    const unit = wanted.charCodeAt(at)
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (wanted.charCodeAt(length) === unit) length++
    borders[at] = length
  }
  return borders
}
