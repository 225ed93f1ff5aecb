import type { Budget } from '../../budget.ts'
import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { characters, chunks, lengthInCharacters, sliceText } from '../../php/characters.ts'
import { toInt } from '../../php/numbers.ts'
import { blanks, type Side, trim } from '../../php/trim.ts'
import { toBoolean, toText } from '../../values/conversions.ts'
import { findLastText, findText, splitText } from '../../values/search.ts'
import { type ObjectKind, TwigObject, type Value } from '../../values/value.ts'
import { capital, normalize, toAscii } from './ascii.ts'

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

/** Cuts at the first or last place of another text; keeps the whole text where there is none. */
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

const trimmed =
  (side: Side): Method =>
  (text, [mask], budget) =>
    trim(text, { mask: word(mask, blanks), side, budget })

const inCase =
  (letterCase: LetterCase): Method =>
  (text, _args, budget) =>
    changeCase(text, letterCase, budget)

function joined(texts: readonly string[], budget: Budget): string {
  for (const text of texts) budget.allocateText(text.length)
  return texts.join('')
}

/** The methods of UnicodeString, by name in lower case. */
const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries<Method>({
    append: (text, args, budget) => joined([text, ...args.map(toText)], budget),
    prepend: (text, args, budget) => joined([...args.map(toText), text], budget),
    upper: (text) => text.toUpperCase(),
    lower: (text) => text.toLowerCase(),
    folded: (text, _args, budget) =>
      normalize(text, budget, 'NFKC').toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ'),
    title: (text, [all = false], budget) =>
      changeCase(text, toBoolean(all) ? 'titles' : 'title', budget),
    camel: inCase('camel'),
    pascal: inCase('pascal'),
    snake: inCase('snake'),
    kebab: inCase('kebab'),
    truncate,
    wordwrap: wrap,
    trim: trimmed('both'),
    trimstart: trimmed('left'),
    trimend: trimmed('right'),
    collapsewhitespace: collapseWhitespace,
    replace,
    slice: (text, [start, length = null]) =>
      sliceText(text, number(start), length === null ? undefined : toInt(length)),
    reverse,
    repeat,
    padstart: pad('start'),
    padend: pad('end'),
    padboth: pad('both'),
    ensurestart: (text, [needle], budget) =>
      text.startsWith(word(needle)) ? text : joined([word(needle), text], budget),
    ensureend: (text, [needle], budget) =>
      text.endsWith(word(needle)) ? text : joined([text, word(needle)], budget),
    before: part('before', findFirst),
    after: part('after', findFirst),
    beforelast: part('before', findLastText),
    afterlast: part('after', findLastText),
    ascii: (text, _args, budget) => toAscii(text, budget),
    normalize: (text, _args, budget) => normalize(text, budget),
    length: lengthInCharacters,
    isempty: (text) => text === '',
    startswith: (text, [needle]) => text.startsWith(word(needle)),
    endswith: (text, [needle]) => text.endsWith(word(needle)),
    containsany: (text, args, budget) =>
      args.some((needle) => findText(text, toText(needle), 0, budget) !== -1),
    equalsto: (text, [other]) => text === word(other),
    tostring: (text) => text,
  }),
)

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

function reverse(text: string, _args: readonly Value[], budget: Budget): string {
  budget.allocateElements(text.length)
  return characters(text).reverse().join('')
}

/** Each word is looked for and changed on its own: at worst, every other character is one. */
const stepsACharacter = 3
const bytesACharacter = 50

type LetterCase = 'title' | 'titles' | 'camel' | 'pascal' | 'snake' | 'kebab'

/** Words as Symfony parts them: at what is no letter or digit, and before capitals. */
function words(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Writes the words of a text in another way. */
function changeCase(text: string, letterCase: LetterCase, budget: Budget): string {
  if (letterCase === 'title') return capital(text)
  budget.spend(text.length * stepsACharacter)
  budget.allocate(text.length * bytesACharacter)
  if (letterCase === 'titles') return text.replace(/\p{L}+/gu, (word) => capital(word))
  if (letterCase === 'snake') return words(text).join('_').toLowerCase()
  if (letterCase === 'kebab') return words(text).join('-').toLowerCase()
  const humped = words(text).map((word) => capital(word.toLowerCase()))
  if (letterCase === 'camel') humped[0] = humped[0]?.toLowerCase() ?? ''
  return humped.join('')
}

/** `padStart(10, '.')` and its kin. */
function pad(side: 'start' | 'end' | 'both'): Method {
  return (text, [length = 0, filler = ' '], budget) => {
    const missing = toInt(length) - lengthInCharacters(text)
    if (missing <= 0) return text
    budget.allocateText(missing)
    const before = side === 'end' ? 0 : side === 'start' ? missing : Math.floor(missing / 2)
    const signs = toText(filler) || ' '
    return ''.padStart(before, signs) + text + ''.padEnd(missing - before, signs)
  }
}

/** Cuts a text to a number of characters, with the ellipsis. Without `cut`, the last word is finished. */
function truncate(text: string, [length, dots, cutWords = true]: readonly Value[]): string {
  const most = number(length)
  if (lengthInCharacters(text) <= most) return text
  const size = lengthInCharacters(word(dots))
  const ellipsis = size > most ? '' : word(dots)
  let end = ellipsis === '' ? most : most - size
  if (!toBoolean(cutWords)) {
    const start = Math.max(most - 1, 0)
    const rest = sliceText(text, start, undefined)
    const blank = rest.search(/[ \r\n\t]/)
    if (blank === -1) return text
    end = start + lengthInCharacters(rest.slice(0, blank))
  }
  const kept = sliceText(text, 0, end)
  return ellipsis === '' ? kept : kept.trimEnd() + ellipsis
}

/** Breaks a text into lines of at most `width` characters; `cut` breaks longer words too. */
function wrap(text: string, args: readonly Value[], budget: Budget): string {
  const [width, separator, cut = false] = args
  const most = Math.max(number(width, 75), 1)
  const line = word(separator, '\n')
  // At worst, every other character is a word, and every word a line.
  budget.allocateElements(text.length / 2)
  budget.spend(text.length / 2)
  budget.allocateText(Math.ceil((2 * text.length) / most) * line.length)
  const paragraphs = line === '' ? [...text] : splitText(text, line, { budget })
  return paragraphs
    .map((paragraph) => wrapParagraph(paragraph, { most, cut: toBoolean(cut) }).join(line))
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
