import type { Meter } from '../../values/meter.ts'

/** Marks on one letter: those of any language are fewer. */
const longRun = /\p{M}{30,}/gu
/** So many comparisons of marks make one step. */
const comparisonsAStep = 64

/**
 * A text in a normal form of Unicode. Marks on one letter are put in order by comparing each with all
 * before it, so those of a long run cost the square of their number.
 */
export function normalize(text: string, form: 'NFC' | 'NFKD', meter: Meter): string {
  for (const [marks] of text.matchAll(longRun)) meter.spend(marks.length ** 2 / comparisonsAStep)
  meter.allocateText(text.length)
  meter.spendOnCharacters(text.length * 4)
  return text.normalize(form)
}
