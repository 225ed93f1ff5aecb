import type { Meter } from '../values/meter.ts'

/**
 * PHP's `strtr` with pairs: the longest key that fits at a place is replaced, and what was put in is
 * not looked at again.
 */
export function replacePairs(
  text: string,
  pairs: ReadonlyMap<string, string>,
  meter: Meter,
): string {
  const lengths = [...new Set([...pairs.keys()].map((key) => key.length))]
    .filter((length) => length > 0)
    .sort((a, b) => b - a)
  meter.spendOnCharacters(text.length * (1 + lengths.length))
  const first = new Set([...pairs.keys()].map((key) => key.charCodeAt(0)))
  let replaced = ''
  let kept = 0
  let position = 0
  while (position < text.length) {
    const isCandidate = first.has(text.charCodeAt(position))
    const key = isCandidate ? keyAt(text, position, { pairs, lengths, meter }) : ''
    if (key === '') {
      position++
      continue
    }
    const replacement = pairs.get(key) ?? ''
    meter.spend(1)
    meter.allocateText(position - kept + replacement.length)
    replaced += text.slice(kept, position) + replacement
    position += key.length
    kept = position
  }
  return kept === 0 ? text : replaced + text.slice(kept)
}

interface Candidates {
  pairs: ReadonlyMap<string, string>
  /** Of the keys, longest first. */
  lengths: readonly number[]
  meter: Meter
}

function keyAt(text: string, position: number, { pairs, lengths, meter }: Candidates): string {
  for (const length of lengths) {
    // Looking a text up reads all of it.
    meter.spend(length / 16)
    const candidate = text.slice(position, position + length)
    if (candidate.length === length && pairs.has(candidate)) return candidate
  }
  return ''
}
