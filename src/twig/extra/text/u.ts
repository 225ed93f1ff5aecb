import type { Budget } from '../../budget.ts'
import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { characters, chunks, lengthInCharacters, sliceText } from '../../php/characters.ts'
import { toInt } from '../../php/numbers.ts'
import { blanks, trim } from '../../php/trim.ts'
import { toBoolean, toText } from '../../values/conversions.ts'
import { findLastText, findText, splitText } from '../../values/search.ts'
import { type ObjectKind, TwigObject, type Value } from '../../values/value.ts'

export const unicodeTextFilters = define<FilterDefinition>({
  u: {
    description: "A text with methods: text|u.truncate(8, '…').",
    apply: (value) => createUnicodeText(requireText(value, '"u" filter')),
  },
})

/** The text of the `u` filter: Symfony's UnicodeString, as far as templates use it. */
const unicodeTextKind: ObjectKind<string> = {
  className: 'Symfony\\Component\\String\\UnicodeString',
  text: (text) => text,
  compare(a, b, budget) {
    budget.spendOnCharacters(Math.min(a.length, b.length))
    return Number(a > b) - Number(a < b)
  },
  call(text, method, args, budget) {
    const run = methods.get(method.toLowerCase())
    if (run === undefined) return undefined
    budget.allocateText(text.length)
    budget.spendOnCharacters(text.length)
    const result = run(text, args, budget)
    return typeof result === 'string' ? createUnicodeText(result) : result
  },
}

function createUnicodeText(text: string): Value {
  return new TwigObject(unicodeTextKind, text)
}

/** Gives another such text for a text, any other value as it is. */
type Method = (text: string, args: readonly Value[], budget: Budget) => Value

const word = (value: Value | undefined, fallback = ''): string =>
  value === undefined ? fallback : toText(value)
const number = (value: Value | undefined, fallback = 0): number =>
  value === undefined ? fallback : toInt(value)

/** The text before or behind the first or the last place of another; all of it where there is none. */
function part(
  side: 'before' | 'after',
  find: (text: string, needle: string, budget: Budget) => number,
): Method {
  return (text, [value], budget) => {
    const needle = word(value)
    const at = find(text, needle, budget)
    if (at === -1) return text
    return side === 'before' ? text.slice(0, at) : text.slice(at + needle.length)
  }
}

const findFirst = (text: string, needle: string, budget: Budget): number =>
  findText(text, needle, 0, budget)

/** Texts one after the other. */
function joined(texts: readonly string[], budget: Budget): string {
  for (const text of texts) budget.allocateText(text.length)
  return texts.join('')
}

const methods: ReadonlyMap<string, Method> = new Map([
  ['append', (text, args, budget) => joined([text, ...args.map(toText)], budget)],
  ['prepend', (text, args, budget) => joined([...args.map(toText), text], budget)],
  ['upper', (text) => text.toUpperCase()],
  ['lower', (text) => text.toLowerCase()],
  ['folded', (text) => text.toLowerCase()],
  [
    'title',
    (text, [all], budget) => changeCase(text, toBoolean(all ?? false) ? 'titles' : 'title', budget),
  ],
  ['camel', (text, _args, budget) => changeCase(text, 'camel', budget)],
  ['pascal', (text, _args, budget) => changeCase(text, 'pascal', budget)],
  ['snake', (text, _args, budget) => changeCase(text, 'snake', budget)],
  ['kebab', (text, _args, budget) => changeCase(text, 'kebab', budget)],
  [
    'truncate',
    (text, [length, ellipsis, cut]) =>
      truncate(text, {
        length: number(length),
        ellipsis: word(ellipsis),
        cut: toBoolean(cut ?? true),
      }),
  ],
  ['wordwrap', wrap],
  [
    'trim',
    (text, [mask], budget) => trim(text, { mask: word(mask, blanks), side: 'both', budget }),
  ],
  [
    'trimstart',
    (text, [mask], budget) => trim(text, { mask: word(mask, blanks), side: 'left', budget }),
  ],
  [
    'trimend',
    (text, [mask], budget) => trim(text, { mask: word(mask, blanks), side: 'right', budget }),
  ],
  ['collapsewhitespace', collapseWhitespace],
  ['replace', replace],
  [
    'slice',
    (text, [start, length]) =>
      sliceText(
        text,
        number(start),
        length === undefined || length === null ? undefined : toInt(length),
      ),
  ],
  ['reverse', (text, _args, budget) => reverse(text, budget)],
  ['repeat', repeat],
  ['padstart', pad('start')],
  ['padend', pad('end')],
  ['padboth', pad('both')],
  [
    'ensurestart',
    (text, [needle], budget) =>
      text.startsWith(word(needle)) ? text : joined([word(needle), text], budget),
  ],
  [
    'ensureend',
    (text, [needle], budget) =>
      text.endsWith(word(needle)) ? text : joined([text, word(needle)], budget),
  ],
  ['before', part('before', findFirst)],
  ['after', part('after', findFirst)],
  ['beforelast', part('before', findLastText)],
  ['afterlast', part('after', findLastText)],
  ['ascii', (text, _args, budget) => normalize(text, 'NFKD', budget).replace(/[^\p{ASCII}]/gu, '')],
  ['normalize', (text, _args, budget) => normalize(text, 'NFC', budget)],
  ['length', (text) => lengthInCharacters(text)],
  ['isempty', (text) => text === ''],
  ['startswith', (text, [needle]) => text.startsWith(word(needle))],
  ['endswith', (text, [needle]) => text.endsWith(word(needle))],
  [
    'containsany',
    (text, args, budget) => args.some((needle) => findText(text, toText(needle), 0, budget) !== -1),
  ],
  ['equalsto', (text, [other]) => text === word(other)],
  ['tostring', (text) => text],
] satisfies [string, Method][])

function wrap(text: string, args: readonly Value[], budget: Budget): string {
  const [width, line, cut] = args
  const most = Math.max(number(width, 75), 1)
  const separator = word(line, '\n')
  // At worst, every other character is a word, and every word a line.
  budget.allocateElements(text.length / 2)
  budget.spend(text.length / 2)
  budget.allocateText(Math.ceil((2 * text.length) / most) * separator.length)
  return wordwrap(text, { width: most, line: separator, cut: toBoolean(cut ?? false), budget })
}

function replace(text: string, [from, to]: readonly Value[], budget: Budget): string {
  const needle = word(from)
  if (needle === '') return text
  const replacement = word(to)
  const pieces = splitText(text, needle, { budget })
  budget.allocateText(text.length + pieces.length * replacement.length)
  return pieces.join(replacement)
}

function collapseWhitespace(text: string, _args: readonly Value[], budget: Budget): string {
  const collapsed = text.replace(/\s+/g, () => {
    budget.spend(1)
    return ' '
  })
  return collapsed.trim()
}

function repeat(text: string, [times]: readonly Value[], budget: Budget): string {
  const count = Math.max(0, number(times))
  budget.allocateText(text.length * count)
  return text.repeat(count)
}

function reverse(text: string, budget: Budget): string {
  budget.allocateElements(text.length)
  return characters(text).reverse().join('')
}

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
function changeCase(text: string, letterCase: LetterCase, budget: Budget): string {
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
function normalize(text: string, form: 'NFC' | 'NFKD', budget: Budget): string {
  for (const [marks] of text.matchAll(longRun)) budget.spend(marks.length ** 2 / comparisonsAStep)
  budget.allocateText(text.length)
  budget.spendOnCharacters(text.length * 4)
  return text.normalize(form)
}

/** `padStart(10, '.')` and its kin. */
function pad(
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
function truncate(
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
function wordwrap(
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
  const words = text.split(' ').flatMap((whole) => (cut ? chunks(whole, most) : [whole]))
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
