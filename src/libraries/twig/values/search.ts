import type { Budget } from '../budget.ts'

/** V8 searches longer texts with an algorithm that is quadratic at worst. */
const nativeLength = 32
/** Searching for so few characters is as fast as searching for one. */
const shortLength = 3

/** This many characters are charged at a time. */
const charactersPerCharge = 1_024

/**
 * Finds a text in another one from a position. Returns -1 when it is not there. Runs in linear time
 * for any input.
 */
export function findText(text: string, wanted: string, from: number, budget: Budget): number {
  const rest = text.length - from
  if (wanted.length <= nativeLength) {
    const at = text.indexOf(wanted, from)
    spendOnSearch(at === -1 ? rest : at - from, wanted, budget)
    return at
  }
  if (wanted.length > rest) return -1
  for (const at of occurrences(text, wanted, { from, budget })) return at
  return -1
}

/** Finds the last occurrence of a text in another one, or -1. Runs in linear time. */
export function findLastText(text: string, wanted: string, budget: Budget): number {
  if (wanted.length <= nativeLength) {
    spendOnSearch(text.length, wanted, budget)
    return text.lastIndexOf(wanted)
  }
  let last = -1
  if (wanted.length > text.length) return last
  for (const at of occurrences(text, wanted, { from: 0, budget })) last = at
  return last
}

/** Splits a text at a separator, which is not empty, into at most `limit` pieces. */
export function splitText(
  text: string,
  separator: string,
  { budget, limit = Number.POSITIVE_INFINITY }: { budget: Budget; limit?: number },
): string[] {
  const pieces: string[] = []
  let start = 0
  while (pieces.length < limit - 1) {
    const end = findText(text, separator, start, budget)
    if (end === -1) break
    budget.allocateElements(1)
    pieces.push(text.slice(start, end))
    start = end + separator.length
  }
  pieces.push(text.slice(start))
  return pieces
}

function spendOnSearch(length: number, wanted: string, budget: Budget): void {
  if (wanted.length <= shortLength) budget.spendOnText(length)
  else budget.spendOnCharacters(length)
}

/** Finds all occurrences of a text, overlapping ones included (Knuth–Morris–Pratt). */
function* occurrences(
  text: string,
  wanted: string,
  { from, budget }: { from: number; budget: Budget },
): Generator<number> {
  budget.allocate(wanted.length * 4)
  budget.spendOnCharacters(wanted.length)
  const borders = bordersOf(wanted)
  let matched = 0
  for (let at = from; at < text.length; at++) {
    if ((at - from) % charactersPerCharge === 0) budget.spendOnCharacters(charactersPerCharge)
    const unit = text.charCodeAt(at)
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (wanted.charCodeAt(matched) === unit) matched++
    if (matched < wanted.length) continue
    yield at - wanted.length + 1
    matched = borders[matched - 1] ?? 0
  }
}

/** Computes the length of the longest border of each prefix. */
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
