import type { Budget } from '../budget.ts'
import { findText } from '../values/search.ts'

/**
 * PHP's `strtr` with pairs: replaces the longest matching key at each position. Replacements are
 * not searched again.
 */
export function replacePairs(
  text: string,
  pairs: ReadonlyMap<string, string>,
  budget: Budget,
): string {
  const lengths = [...new Set([...pairs.keys()].map((key) => key.length))]
    .filter((length) => length > 0)
    .sort((a, b) => b - a)
  budget.spendOnCharacters(text.length)
  const first = new Set([...pairs.keys()].map((key) => key.charCodeAt(0)))
  const keyAt = findKeys(text, { pairs, lengths, budget })
  let replaced = ''
  let kept = 0
  let position = 0
  while (position < text.length) {
    const key = first.has(text.charCodeAt(position)) ? keyAt(position) : ''
    if (key === '') {
      position++
      continue
    }
    const replacement = pairs.get(key) ?? ''
    budget.spend(1)
    budget.allocateText(position - kept + replacement.length)
    replaced += text.slice(kept, position) + replacement
    position += key.length
    kept = position
  }
  return kept === 0 ? text : replaced + text.slice(kept)
}

/** Longer keys are searched in the whole text instead of at every position. */
const shortKey = 64
/** At each position, this many characters of possible keys cost one step. */
const charactersPerStep = 32

/** Returns a function that finds the longest key at a position, or an empty string. */
function findKeys(
  text: string,
  options: { pairs: ReadonlyMap<string, string>; lengths: readonly number[]; budget: Budget },
): (position: number) => string {
  const { pairs, lengths, budget } = options
  const short = lengths.filter((length) => length <= shortKey)
  const steps = short.reduce((sum, length) => sum + 0.5 + length / charactersPerStep, 0)
  const next = [...pairs.keys()]
    .filter((key) => key.length > shortKey)
    .sort((a, b) => b.length - a.length)
    .map((key) => ({ key, at: findText(text, key, 0, budget) }))
  return (position) => {
    budget.spend(steps + next.length / 8)
    for (const long of next) {
      if (long.at !== -1 && long.at < position) long.at = findText(text, long.key, position, budget)
      if (long.at === position) return long.key
    }
    for (const length of short) {
      const candidate = text.slice(position, position + length)
      if (candidate.length === length && pairs.has(candidate)) return candidate
    }
    return ''
  }
}
