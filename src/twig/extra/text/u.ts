import type { Budget } from '../../budget.ts'
import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { characters, lengthInCharacters, sliceText } from '../../php/characters.ts'
import { toInt } from '../../php/numbers.ts'
import { blanks, trim } from '../../php/trim.ts'
import { toBoolean, toText } from '../../values/conversions.ts'
import { findLastText, findText, splitText } from '../../values/search.ts'
import { type ObjectKind, TwigObject, type Value } from '../../values/value.ts'
import { changeCase, normalize, pad, truncate, wordwrap } from './text-methods.ts'

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
  compare(a, b, meter) {
    meter.spendOnCharacters(Math.min(a.length, b.length))
    return Number(a > b) - Number(a < b)
  },
  call(text, method, args, meter) {
    const run = methods.get(method.toLowerCase())
    if (run === undefined) return undefined
    meter.allocateText(text.length)
    meter.spendOnCharacters(text.length)
    const result = run(text, args, meter)
    return typeof result === 'string' ? createUnicodeText(result) : result
  },
}

function createUnicodeText(text: string): Value {
  return new TwigObject(unicodeTextKind, text)
}

/** Gives another such text for a text, any other value as it is. */
type Method = (text: string, args: readonly Value[], meter: Budget) => Value

const word = (value: Value | undefined, fallback = ''): string =>
  value === undefined ? fallback : toText(value)
const number = (value: Value | undefined, fallback = 0): number =>
  value === undefined ? fallback : toInt(value)

/** The text before or behind the first or the last place of another; all of it where there is none. */
function part(
  side: 'before' | 'after',
  find: (text: string, needle: string, meter: Budget) => number,
): Method {
  return (text, [value], meter) => {
    const needle = word(value)
    const at = find(text, needle, meter)
    if (at === -1) return text
    return side === 'before' ? text.slice(0, at) : text.slice(at + needle.length)
  }
}

const findFirst = (text: string, needle: string, meter: Budget): number =>
  findText(text, needle, 0, meter)

/** Texts one after the other. */
function joined(texts: readonly string[], meter: Budget): string {
  for (const text of texts) meter.allocateText(text.length)
  return texts.join('')
}

const methods: ReadonlyMap<string, Method> = new Map([
  ['append', (text, args, meter) => joined([text, ...args.map(toText)], meter)],
  ['prepend', (text, args, meter) => joined([...args.map(toText), text], meter)],
  ['upper', (text) => text.toUpperCase()],
  ['lower', (text) => text.toLowerCase()],
  ['folded', (text) => text.toLowerCase()],
  [
    'title',
    (text, [all], meter) => changeCase(text, toBoolean(all ?? false) ? 'titles' : 'title', meter),
  ],
  ['camel', (text, _args, meter) => changeCase(text, 'camel', meter)],
  ['pascal', (text, _args, meter) => changeCase(text, 'pascal', meter)],
  ['snake', (text, _args, meter) => changeCase(text, 'snake', meter)],
  ['kebab', (text, _args, meter) => changeCase(text, 'kebab', meter)],
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
  ['trim', (text, [mask], meter) => trim(text, { mask: word(mask, blanks), side: 'both', meter })],
  [
    'trimstart',
    (text, [mask], meter) => trim(text, { mask: word(mask, blanks), side: 'left', meter }),
  ],
  [
    'trimend',
    (text, [mask], meter) => trim(text, { mask: word(mask, blanks), side: 'right', meter }),
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
  ['reverse', (text, _args, meter) => reverse(text, meter)],
  ['repeat', repeat],
  ['padstart', pad('start')],
  ['padend', pad('end')],
  ['padboth', pad('both')],
  [
    'ensurestart',
    (text, [needle], meter) =>
      text.startsWith(word(needle)) ? text : joined([word(needle), text], meter),
  ],
  [
    'ensureend',
    (text, [needle], meter) =>
      text.endsWith(word(needle)) ? text : joined([text, word(needle)], meter),
  ],
  ['before', part('before', findFirst)],
  ['after', part('after', findFirst)],
  ['beforelast', part('before', findLastText)],
  ['afterlast', part('after', findLastText)],
  ['ascii', (text, _args, meter) => normalize(text, 'NFKD', meter).replace(/[^\p{ASCII}]/gu, '')],
  ['normalize', (text, _args, meter) => normalize(text, 'NFC', meter)],
  ['length', (text) => lengthInCharacters(text)],
  ['isempty', (text) => text === ''],
  ['startswith', (text, [needle]) => text.startsWith(word(needle))],
  ['endswith', (text, [needle]) => text.endsWith(word(needle))],
  [
    'containsany',
    (text, args, meter) => args.some((needle) => findText(text, toText(needle), 0, meter) !== -1),
  ],
  ['equalsto', (text, [other]) => text === word(other)],
  ['tostring', (text) => text],
] satisfies [string, Method][])

function wrap(text: string, args: readonly Value[], meter: Budget): string {
  const [width, line, cut] = args
  const most = Math.max(number(width, 75), 1)
  const separator = word(line, '\n')
  // At worst, every other character is a word, and every word a line.
  meter.allocateElements(text.length / 2)
  meter.spend(text.length / 2)
  meter.allocateText(Math.ceil((2 * text.length) / most) * separator.length)
  return wordwrap(text, { width: most, line: separator, cut: toBoolean(cut ?? false), meter })
}

function replace(text: string, [from, to]: readonly Value[], meter: Budget): string {
  const needle = word(from)
  if (needle === '') return text
  const replacement = word(to)
  const pieces = splitText(text, needle, { meter })
  meter.allocateText(text.length + pieces.length * replacement.length)
  return pieces.join(replacement)
}

function collapseWhitespace(text: string, _args: readonly Value[], meter: Budget): string {
  const collapsed = text.replace(/\s+/g, () => {
    meter.spend(1)
    return ' '
  })
  return collapsed.trim()
}

function repeat(text: string, [times]: readonly Value[], meter: Budget): string {
  const count = Math.max(0, number(times))
  meter.allocateText(text.length * count)
  return text.repeat(count)
}

function reverse(text: string, meter: Budget): string {
  meter.allocateElements(text.length)
  return characters(text).reverse().join('')
}
