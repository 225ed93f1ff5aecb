import { distance } from 'fastest-levenshtein'

export function wordsOf(text: string): string[] {
  return text
    .toLocaleLowerCase()
    .split(/[\s-]+/)
    .filter(Boolean)
}

/** Whether a text has each of the words in it. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLocaleLowerCase()
  return words.every((word) => lower.includes(word))
}

/** The items whose text has all words, in any order; where there is none, those that have them but for small typing errors. */
export function findMatches<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  sought: readonly string[],
): Item[] {
  const exact = items.filter((item) => hasWords(textOf(item), sought))
  if (exact.length > 0) return exact
  return items
    .map((item) => ({ item, errors: countErrors(wordsOf(textOf(item)), sought) }))
    .filter(({ errors }) => errors < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.errors - other.errors)
    .map(({ item }) => item)
}

function countErrors(words: readonly string[], sought: readonly string[]): number {
  const errors = sought.map((word) => Math.min(...words.map((each) => errorsIn(word, each))))
  return errors.reduce((sum, count) => sum + count, 0)
}

/** A word may have one error from four letters on, and two from eight on. */
function errorsIn(typed: string, word: string): number {
  const start = word.slice(0, typed.length)
  const swapped = [...start].slice(1).map((letter, at) => {
    return start.slice(0, at) + letter + start.charAt(at) + start.slice(at + 2)
  })
  const whole = Math.min(distance(typed, word), distance(typed, start))
  const errors = Math.min(whole, swapped.includes(typed) ? 1 : whole)
  return errors <= Math.floor(Math.min(typed.length, 8) / 4) ? errors : Number.POSITIVE_INFINITY
}
