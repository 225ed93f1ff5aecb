import type { Budget } from '../../budget.ts'
import { characters, lengthInCharacters, sliceText } from '../../php/characters.ts'
import { toInt } from '../../php/numbers.ts'
import { toText } from '../../values/conversions.ts'
import { splitText } from '../../values/search.ts'
import type { Value } from '../../values/value.ts'

/** Each word is looked for and changed on its own: at worst, every other character is one. */
const stepsACharacter = 3
const bytesACharacter = 50

type LetterCase = 'title' | 'titles' | 'camel' | 'pascal' | 'snake' | 'kebab'

const capital = (word: string): string => {
  const [first = ''] = word
  return first.toUpperCase() + word.slice(first.length)
}

/** Words as Symfony parts them: at what is no letter or digit, and before capitals. */
function words(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** A text in another manner of writing several words. */
export function changeCase(text: string, letterCase: LetterCase, budget: Budget): string {
  if (letterCase === 'title') return capital(text)
  budget.spend(text.length * stepsACharacter)
  budget.allocate(text.length * bytesACharacter)
  switch (letterCase) {
    case 'titles':
      return text.replace(/\p{L}+/gu, capital)
    case 'snake':
      return words(text).join('_').toLowerCase()
    case 'kebab':
      return words(text).join('-').toLowerCase()
    case 'pascal':
      return words(text).map(humped).join('')
    case 'camel': {
      const [first = '', ...rest] = words(text)
      return first.toLowerCase() + rest.map(humped).join('')
    }
  }
}

function humped(word: string): string {
  return capital(word.toLowerCase())
}

/** Marks on one letter: those of any language are fewer. */
const longRun = /\p{M}{30,}/gu
/** So many comparisons of marks make one step. */
const comparisonsAStep = 64

/**
 * A text in a normal form of Unicode. Marks on one letter are put in order by comparing each with all
 * before it, so those of a long run cost the square of their number.
 */
export function normalize(text: string, form: 'NFC' | 'NFKD', budget: Budget): string {
  for (const [marks] of text.matchAll(longRun)) budget.spend(marks.length ** 2 / comparisonsAStep)
  budget.allocateText(text.length)
  budget.spendOnCharacters(text.length * 4)
  return text.normalize(form)
}

/** `padStart(10, '.')` and its kin. */
export function pad(
  side: 'start' | 'end' | 'both',
): (text: string, args: readonly Value[], budget: Budget) => string {
  return (text, [length = 0, filler = ' '], budget) => {
    const missing = toInt(length) - lengthInCharacters(text)
    if (missing <= 0) return text
    budget.allocateText(missing)
    const before = side === 'end' ? 0 : side === 'start' ? missing : Math.floor(missing / 2)
    const signs = toText(filler) || ' '
    return ''.padStart(before, signs) + text + ''.padEnd(missing - before, signs)
  }
}

/**
 * A text of at most so many characters, the ellipsis among them. Without `cut`, the word that is under
 * way is finished.
 */
export function truncate(
  text: string,
  options: { length: number; ellipsis: string; cut: boolean },
): string {
  const { length, cut } = options
  const size = lengthInCharacters(text)
  if (size <= length) return text
  const dots = lengthInCharacters(options.ellipsis)
  const ellipsis = dots >= length ? '' : options.ellipsis
  let end = length
  if (!cut) {
    const rest = sliceText(text, Math.max(length - 1, 0), undefined)
    const blank = rest.search(/[ \r\n\t]/)
    if (blank === -1) return text
    end =
      lengthInCharacters(rest.slice(0, blank)) +
      Math.max(length - 1, 0) +
      (ellipsis === '' ? 0 : dots)
  }
  const kept = sliceText(text, 0, end - (ellipsis === '' ? 0 : dots))
  return `${ellipsis === '' ? kept : kept.trimEnd()}${ellipsis}`
}

/** A text broken into lines of at most so many characters; `cut` breaks words that are longer too. */
export function wordwrap(
  text: string,
  { width, line, cut, budget }: { width: number; line: string; cut: boolean; budget: Budget },
): string {
  const most = Math.max(width, 1)
  const paragraphs = line === '' ? [...text] : splitText(text, line, { budget })
  return paragraphs
    .map((paragraph) => wrapParagraph(paragraph, { most, cut }).join(line))
    .join(line)
}

function wrapParagraph(text: string, { most, cut }: { most: number; cut: boolean }): string[] {
  const lines: string[] = []
  const words = text.split(' ').flatMap((whole) => (cut ? pieces(whole, most) : [whole]))
  let current: string[] = []
  let length = 0
  for (const word of words) {
    const size = lengthInCharacters(word)
    if (current.length > 0 && length + 1 + size > most) {
      lines.push(current.join(' '))
      current = []
      length = 0
    }
    length += size + (current.length > 0 ? 1 : 0)
    current.push(word)
  }
  return [...lines, current.join(' ')]
}

function pieces(word: string, size: number): string[] {
  const all = characters(word)
  if (all.length <= size) return [word]
  const parts: string[] = []
  for (let i = 0; i < all.length; i += size) parts.push(all.slice(i, i + size).join(''))
  return parts
}
