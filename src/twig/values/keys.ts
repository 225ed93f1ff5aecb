import { phpFault } from '../errors/faults.ts'
import { TwigError } from '../errors/twig-error.ts'
import { Markup } from './markup.ts'
import { typeName } from './type-name.ts'
import type { Key, Value } from './value.ts'

const wholeNumber = /^(?:0|-?[1-9][0-9]{0,18})$/

/** A text in the form that PHP gives a key: text that reads as a whole number is that number. */
export function textKey(text: string): Key {
  const first = text.charCodeAt(0)
  // Only a digit or a minus sign can begin a number: nearly every name ends here.
  if (first > 57 || (first < 48 && first !== 45) || text === '') return text
  if (!wholeNumber.test(text)) return text
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

/** V8 tells longer texts apart by their length alone, and then compares all of one length. */
const longestKey = 10_000

/** A value in the form that PHP gives a key: floats are cut, true is 1, null is the empty text. */
export function toKey(value: Value): Key {
  if (typeof value === 'string' && value.length > longestKey) {
    throw new TwigError('limit', `A key is longer than ${longestKey} characters.`)
  }
  if (typeof value === 'string') return textKey(value)
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null) return ''
  if (value instanceof Markup) return textKey(value.text)
  throw phpFault(`Illegal offset type: ${typeName(value)}`)
}
