import { toInt } from '../../php/casts.ts'
import { characters, lengthInCharacters } from '../../php/characters.ts'
import { sliceText } from '../../php/slice.ts'
import { blanks, trim } from '../../php/trim.ts'
import type { Meter } from '../../values/meter.ts'
import { toText } from '../../values/text.ts'
import { toBoolean } from '../../values/truth.ts'
import { type ObjectKind, TwigObject, type Value } from '../../values/value.ts'
import { changeCase } from './letter-case.ts'
import { pad } from './pad.ts'
import { truncate } from './truncate.ts'
import { wordwrap } from './wordwrap.ts'

/** The text of the `u` filter: Symfony's UnicodeString, as far as templates use it. */
const unicodeTextKind: ObjectKind<string> = {
  className: 'Symfony\\Component\\String\\UnicodeString',
  text: (text) => text,
  compare: (a, b) => Number(a > b) - Number(a < b),
  call(text, method, args, meter) {
    const run = methods.get(method.toLowerCase())
    if (run === undefined) return undefined
    meter.allocateText(text.length)
    meter.spendOnCharacters(text.length)
    const result = run(text, args, meter)
    return typeof result === 'string' ? createUnicodeText(result) : result
  },
}

export function createUnicodeText(text: string): Value {
  return new TwigObject(unicodeTextKind, text)
}

/** Gives another such text for a text, any other value as it is. */
type Method = (text: string, args: readonly Value[], meter: Meter) => Value

const word = (value: Value | undefined, fallback = ''): string =>
  value === undefined ? fallback : toText(value)
const number = (value: Value | undefined, fallback = 0): number =>
  value === undefined ? fallback : toInt(value)

function part(pick: (text: string, needle: string) => string): Method {
  return (text, [needle]) => pick(text, word(needle))
}

const methods: ReadonlyMap<string, Method> = new Map([
  ['append', (text, args) => text + args.map(toText).join('')],
  ['prepend', (text, args) => args.map(toText).join('') + text],
  ['upper', (text) => text.toUpperCase()],
  ['lower', (text) => text.toLowerCase()],
  ['folded', (text) => text.toLowerCase()],
  ['title', (text, [all]) => changeCase(text, toBoolean(all ?? false) ? 'titles' : 'title')],
  ['camel', (text) => changeCase(text, 'camel')],
  ['pascal', (text) => changeCase(text, 'pascal')],
  ['snake', (text) => changeCase(text, 'snake')],
  ['kebab', (text) => changeCase(text, 'kebab')],
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
  ['trim', (text, [mask]) => trim(text, word(mask, blanks), 'both')],
  ['trimstart', (text, [mask]) => trim(text, word(mask, blanks), 'left')],
  ['trimend', (text, [mask]) => trim(text, word(mask, blanks), 'right')],
  ['collapsewhitespace', (text) => text.replace(/\s+/g, ' ').trim()],
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
  ['ensurestart', part((text, needle) => (text.startsWith(needle) ? text : needle + text))],
  ['ensureend', part((text, needle) => (text.endsWith(needle) ? text : text + needle))],
  [
    'before',
    part((text, needle) => (text.includes(needle) ? text.slice(0, text.indexOf(needle)) : text)),
  ],
  [
    'after',
    part((text, needle) =>
      text.includes(needle) ? text.slice(text.indexOf(needle) + needle.length) : text,
    ),
  ],
  [
    'beforelast',
    part((text, needle) =>
      text.includes(needle) ? text.slice(0, text.lastIndexOf(needle)) : text,
    ),
  ],
  [
    'afterlast',
    part((text, needle) =>
      text.includes(needle) ? text.slice(text.lastIndexOf(needle) + needle.length) : text,
    ),
  ],
  ['ascii', (text) => text.normalize('NFKD').replace(/[^\p{ASCII}]/gu, '')],
  ['normalize', (text) => text.normalize()],
  ['length', (text) => lengthInCharacters(text)],
  ['isempty', (text) => text === ''],
  ['startswith', (text, [needle]) => text.startsWith(word(needle))],
  ['endswith', (text, [needle]) => text.endsWith(word(needle))],
  ['containsany', (text, args) => args.some((needle) => text.includes(toText(needle)))],
  ['equalsto', (text, [other]) => text === word(other)],
  ['tostring', (text) => text],
] satisfies [string, Method][])

function wrap(text: string, args: readonly Value[], meter: Meter): string {
  const [width, line, cut] = args
  const most = Math.max(number(width, 75), 1)
  const separator = word(line, '\n')
  // At worst, every other character is a word, and every word a line.
  meter.allocateElements(text.length / 2)
  meter.allocateText(Math.ceil(text.length / most) * separator.length)
  return wordwrap(text, { width: most, line: separator, cut: toBoolean(cut ?? false) })
}

function replace(text: string, [from, to]: readonly Value[], meter: Meter): string {
  const needle = word(from)
  if (needle === '') return text
  const replacement = word(to)
  return text.replaceAll(needle, () => {
    meter.allocateText(replacement.length)
    return replacement
  })
}

function repeat(text: string, [times]: readonly Value[], meter: Meter): string {
  const count = Math.max(0, number(times))
  meter.allocateText(text.length * count)
  return text.repeat(count)
}

function reverse(text: string, meter: Meter): string {
  meter.allocateElements(text.length)
  return characters(text).reverse().join('')
}
