import { toInt } from '../../php/casts.ts'
import { characters, lengthInCharacters } from '../../php/characters.ts'
import { createTextFinder, includesText, splitText } from '../../php/find-text.ts'
import { sliceText } from '../../php/slice.ts'
import { blanks, type Side, trim } from '../../php/trim.ts'
import type { Meter } from '../../values/meter.ts'
import { toText } from '../../values/text.ts'
import { toBoolean } from '../../values/truth.ts'
import { type ObjectKind, TwigObject, type Value } from '../../values/value.ts'
import { changeCase, type LetterCase } from './letter-case.ts'
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

/** Parting words looks at each character some times. */
function casing(letterCase: LetterCase): Method {
  return (text, _args, meter) => {
    meter.spendOnCharacters(text.length * 6)
    return changeCase(text, letterCase)
  }
}

function trimming(side: Side): Method {
  return (text, [mask], meter) => trim(text, { mask: word(mask, blanks), side, meter })
}

/** A method that cuts the text where a needle begins; without the needle the text stays. */
function cut(
  which: 'first' | 'last',
  pick: (text: string, at: number, needle: string) => string,
): Method {
  return (text, [value], meter) => {
    const needle = word(value)
    const finder = createTextFinder(text, needle, meter)
    const at = which === 'first' ? finder.next(0) : finder.last()
    return at === -1 ? text : pick(text, at, needle)
  }
}

const before = (text: string, at: number): string => text.slice(0, at)
const after = (text: string, at: number, needle: string): string => text.slice(at + needle.length)

function part(pick: (text: string, needle: string) => string): Method {
  return (text, [value], meter) => {
    const needle = word(value)
    meter.allocateText(needle.length)
    return pick(text, needle)
  }
}

const methods: ReadonlyMap<string, Method> = new Map([
  ['append', (text, args, meter) => text + joined(args, meter)],
  ['prepend', (text, args, meter) => joined(args, meter) + text],
  ['upper', (text) => text.toUpperCase()],
  ['lower', (text) => text.toLowerCase()],
  ['folded', (text) => text.toLowerCase()],
  [
    'title',
    (text, [all], meter) => casing(toBoolean(all ?? false) ? 'titles' : 'title')(text, [], meter),
  ],
  ['camel', casing('camel')],
  ['pascal', casing('pascal')],
  ['snake', casing('snake')],
  ['kebab', casing('kebab')],
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
  ['trim', trimming('both')],
  ['trimstart', trimming('left')],
  ['trimend', trimming('right')],
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
  ['before', cut('first', before)],
  ['after', cut('first', after)],
  ['beforelast', cut('last', before)],
  ['afterlast', cut('last', after)],
  ['ascii', (text) => text.normalize('NFKD').replace(/[^\p{ASCII}]/gu, '')],
  ['normalize', (text) => text.normalize()],
  ['length', (text) => lengthInCharacters(text)],
  ['isempty', (text) => text === ''],
  ['startswith', (text, [needle]) => text.startsWith(word(needle))],
  ['endswith', (text, [needle]) => text.endsWith(word(needle))],
  [
    'containsany',
    (text, args, meter) => args.some((needle) => includesText(text, toText(needle), meter)),
  ],
  ['equalsto', (text, [other]) => text === word(other)],
  ['tostring', (text) => text],
] satisfies [string, Method][])

function joined(parts: readonly Value[], meter: Meter): string {
  const texts = parts.map(toText)
  meter.allocateText(texts.reduce((length, text) => length + text.length, 0))
  return texts.join('')
}

function wrap(text: string, args: readonly Value[], meter: Meter): string {
  const [width, line, cut] = args
  const most = Math.max(number(width, 75), 1)
  const separator = word(line, '\n')
  // At worst, every other character is a word, and every word a line.
  meter.allocateElements(text.length / 2)
  meter.spendOnCharacters(text.length * 4)
  meter.allocateText(Math.ceil(text.length / most) * separator.length)
  return wordwrap(text, { width: most, line: separator, cut: toBoolean(cut ?? false) })
}

function replace(text: string, [from, to]: readonly Value[], meter: Meter): string {
  const needle = word(from)
  if (needle === '') return text
  const replacement = word(to)
  const pieces = splitText(text, needle, meter)
  meter.allocateText(text.length + (pieces.length - 1) * replacement.length)
  return pieces.join(replacement)
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
