import type { Budget } from '../budget.ts'
import {
  entriesOf,
  findByKey,
  isCollection,
  isList,
  isObject,
  sizeOf,
} from '../values/collections.ts'
import { numberText, toBoolean, toText } from '../values/conversions.ts'
import { findText } from '../values/search.ts'
import { Arrow, type Collection, Markup, TwigObject, type Value } from '../values/value.ts'
import { findNumber, numberLengthMax } from './numbers.ts'

/** The result of `<=>` for values without an order. It makes `==`, `<` and `>=` false. */
const uncomparable = Number.NaN

/** PHP 8's `==`. */
export function looselyEqual(a: Value, b: Value, budget: Budget): boolean {
  if (typeof a === 'string' && typeof b === 'string') return equalTexts(a, b, budget)
  if (typeof a === 'number' && typeof b === 'number') return a === b
  return compare(a, b, budget) === 0
}

/** PHP's `===` and Twig's `is same as`: the same type and value, without conversion. */
export function strictlyEqual(a: Value, b: Value, budget: Budget): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) {
    budget.spendOnText(a.length)
  }
  if (a === b) return true
  if (!isCollection(a) || !isCollection(b) || isList(a) !== isList(b)) return false
  if (sizeOf(a) !== sizeOf(b)) return false
  budget.spend(sizeOf(a))
  const others = [...entriesOf(b)]
  let index = 0
  for (const [key, value] of entriesOf(a)) {
    const other = others[index++]
    if (other === undefined || other[0] !== key || !strictlyEqual(value, other[1], budget))
      return false
  }
  return true
}

/**
 * PHP 8's `<=>`. Returns a negative number, zero, a positive number, or NaN for values without an
 * order.
 */
export function compare(a: Value, b: Value, budget: Budget): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b)
  if (a instanceof Markup) return compare(a.text, b, budget)
  if (b instanceof Markup) return compare(a, b.text, budget)
  if (typeof a === 'string' && typeof b === 'string') {
    budget.spendOnCharacters(Math.min(a.length, b.length))
    return compareTexts(a, b)
  }
  if (typeof a === 'boolean' || typeof b === 'boolean') return compareBooleans(a, b)
  if (a === null || b === null) return compareWithNull(a, b)
  if (typeof a === 'number' && typeof b === 'string') return compareNumberWithText(a, b, budget)
  if (typeof a === 'string' && typeof b === 'number') return 0 - compareNumberWithText(b, a, budget)
  if (isCollection(a)) return isCollection(b) ? compareCollections(a, b, budget) : 1
  if (isCollection(b)) return -1
  return compareObjects(a, b, budget)
}

function compareNumbers(a: number, b: number): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function compareBooleans(a: Value, b: Value): number {
  return Number(toBoolean(a)) - Number(toBoolean(b))
}

function compareWithNull(a: Value, b: Value): number {
  if (typeof a === 'string') return a === '' ? 0 : 1
  if (typeof b === 'string') return b === '' ? 0 : -1
  return compareBooleans(a, b)
}

/** Strings with the same numeric value are equal as well. */
function equalTexts(a: string, b: string, budget: Budget): boolean {
  if (a.length === b.length) budget.spendOnText(a.length)
  if (a === b) return true
  const number = findNumber(a)
  return number !== undefined && number === findNumber(b)
}

function compareTexts(a: string, b: string): number {
  const numberA = findNumber(a)
  if (numberA !== undefined) {
    const numberB = findNumber(b)
    if (numberB !== undefined) return compareNumbers(numberA, numberB)
  }
  return compareCodePoints(a, b)
}

/** PHP compares bytes. Code points sort like their UTF-8 bytes; UTF-16 units do not. */
function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const unitA = a.charCodeAt(i)
    const unitB = b.charCodeAt(i)
    if (unitA !== unitB) return codePointRank(unitA) < codePointRank(unitB) ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

/** Surrogates represent code points above all other units. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function compareNumberWithText(number: number, text: string, budget: Budget): number {
  budget.spendOnCharacters(Math.min(text.length, numberLengthMax))
  const other = findNumber(text)
  if (other !== undefined) return compareNumbers(number, other)
  return compareCodePoints(numberText(number), text)
}

/**
 * The smaller collection comes first. With equal sizes, the first key whose values differ decides.
 */
function compareCollections(a: Collection, b: Collection, budget: Budget): number {
  const difference = sizeOf(a) - sizeOf(b)
  if (difference !== 0) return Math.sign(difference)
  // Nested collections can repeat the same elements, so the walk is charged.
  budget.spend(sizeOf(a))
  for (const [key, value] of entriesOf(a)) {
    const other = findByKey(b, key)
    if (other === undefined) return uncomparable
    const order = compare(value, other, budget)
    if (order !== 0) return order
  }
  return 0
}

function compareObjects(a: Value, b: Value, budget: Budget): number {
  if (a === b) return 0
  if (a instanceof TwigObject && b instanceof TwigObject && a.kind === b.kind) {
    return a.kind.compare?.(a.data, b.data, budget) ?? uncomparable
  }
  if (a instanceof TwigObject && typeof b === 'string') return compareObjectWithText(a, b, budget)
  if (b instanceof TwigObject && typeof a === 'string') return -compareObjectWithText(b, a, budget)
  if (typeof b === 'number' || typeof b === 'string') return 1
  if (typeof a === 'number' || typeof a === 'string') return -1
  return uncomparable
}

function compareObjectWithText(object: TwigObject, text: string, budget: Budget): number {
  return object.kind.text === undefined ? 1 : compare(object.kind.text(object.data), text, budget)
}

/** Twig's `in`: a substring of a string, or an element of a collection. */
export function isIn(value: Value, container: Value, budget: Budget): boolean {
  if (value instanceof Markup) return isIn(value.text, container, budget)
  if (container instanceof Markup) return isIn(value, container.text, budget)
  if (typeof container === 'string') {
    if (typeof value !== 'string' && typeof value !== 'number') return false
    return findText(container, toText(value), 0, budget) !== -1
  }
  if (!isCollection(container)) return false
  const isSame = isObject(value) || value instanceof Arrow
  for (const element of container.values()) {
    budget.spend(1)
    if (isSame ? element === value : looselyEqual(value, element, budget)) return true
  }
  return false
}
