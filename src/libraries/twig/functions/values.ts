import { define, type FunctionDefinition } from '../callables/definition.ts'
import { convertDate } from '../dates/convert-date.ts'
import { createDate } from '../dates/date-kind.ts'
import { phpFault, runtimeFault } from '../errors.ts'
import { arithmetic } from '../php/arithmetic.ts'
import { characters } from '../php/characters.ts'
import { compare } from '../php/comparison.ts'
import { findNumber, findNumberIn, toFloat, toInt } from '../php/numbers.ts'
import type { Render } from '../runtime/render.ts'
import { findByKey, isCollection, sizeOf, valuesOf } from '../values/collections.ts'
import { toText, typeName } from '../values/conversions.ts'
import type { List, Value } from '../values/value.ts'

export const valueFunctions = define<FunctionDefinition>({
  'range(low, high, step = 1)': {
    description: 'The numbers or letters from one to another.',
    call: (args, render) => range(args, render),
  },
  'max(value, ...values)': {
    description: 'The largest of values.',
    call: (args, render) => extreme('max', args, render),
  },
  'min(value, ...values)': {
    description: 'The smallest of values.',
    call: (args, render) => extreme('min', args, render),
  },
  'random(values = null, max = null)': {
    description: 'A random element, character or number.',
    call([values = null, max = null], { budget, settings }) {
      if (values === null) return between(0, max === null ? randMax : toInt(max), settings.random)
      if (typeof values === 'number') return numberUpTo(values, max, settings.random)
      if (typeof values === 'string') {
        budget.allocateElements(values.length)
        return values === '' ? '' : pick(characters(values), settings.random)
      }
      if (isCollection(values)) budget.spend(sizeOf(values) / elementsPerStep)
      return isCollection(values) ? pick(valuesOf(values), settings.random) : values
    },
  },
  'cycle(values, position)': {
    description: 'The values in turn: cycle(["odd", "even"], loop.index0).',
    call([values = null, position = 0]) {
      if (!isCollection(values)) {
        throw runtimeFault(
          'The "cycle" function expects an array or "ArrayAccess" as first argument.',
        )
      }
      const size = sizeOf(values)
      if (size === 0) throw runtimeFault('The "cycle" function expects a non-empty sequence.')
      return findByKey(values, arithmetic('%', position, size)) ?? null
    },
  },
  'date(date = null, timezone = null)': {
    description: 'A date to compare: date("tomorrow").',
    call: ([value = null, timezone = null], render) =>
      createDate(convertDate(value, timezone, render)),
  },
})

export function range(args: readonly Value[], render: Render): List {
  const [low = 0, high = 0, step = 1] = args
  const from = letter(low)
  const to = letter(high)
  if (from !== undefined && to !== undefined) {
    const codes = numbers([from.charCodeAt(0), to.charCodeAt(0), stepOf(step)], render)
    return codes.map((code) => String.fromCharCode(code))
  }
  return numbers([toFloat(low), toFloat(high), stepOf(step)], render)
}

function stepOf(value: Value): number {
  const step = value === null ? 0 : findNumberIn(value)
  if (step === 0) throw phpFault('range(): Argument #3 ($step) cannot be 0')
  if (step !== undefined) return step
  throw phpFault(`range(): Argument #3 ($step) must be of type int|float, ${typeName(value)} given`)
}

/** Returns the first character of a string that is not numeric. */
function letter(value: Value): string | undefined {
  const text = typeof value === 'number' ? '' : toText(value)
  return text === '' || findNumber(text) !== undefined ? undefined : text.charAt(0)
}

function numbers([low, high, step]: [number, number, number], render: Render): number[] {
  const stride = Math.abs(step)
  const span = Math.abs(high - low)
  if (stride > span && span > 0) {
    throw phpFault('range(): Argument #3 ($step) must not exceed the specified range')
  }
  const count = Math.floor(span / stride + 1e-9) + 1
  render.budget.allocateElements(count)
  const sign = high < low ? -1 : 1
  return Array.from({ length: count }, (_, index) => low + sign * index * stride)
}

/** The value that compares best with all others. */
function extreme(name: 'max' | 'min', args: readonly Value[], { budget }: Render): Value {
  const candidates = args.length > 1 ? args : elements(name, args[0] ?? null)
  let best: Value | undefined
  for (const candidate of candidates) {
    budget.spend(1)
    const order = best === undefined ? 0 : compare(candidate, best, budget)
    if (best === undefined || (name === 'max' ? order > 0 : order < 0)) best = candidate
  }
  if (best !== undefined) return best
  throw phpFault(`${name}(): Argument #1 ($value) must contain at least one element`)
}

function elements(name: string, value: Value): readonly Value[] {
  if (isCollection(value)) return valuesOf(value)
  throw phpFault(`${name}(): Argument #1 ($value) must be of type array, ${typeName(value)} given`)
}

/** Copying this many elements costs one step. */
const elementsPerStep = 8

/** The largest number that PHP's `mt_rand` returns. */
const randMax = 2_147_483_647

function numberUpTo(value: number, max: Value, chance: () => number): number {
  const number = Math.trunc(value)
  if (max !== null) return between(number, toInt(max), chance)
  return number < 0 ? between(number, 0, chance) : between(0, number, chance)
}

function between(low: number, high: number, chance: () => number): number {
  return low + Math.floor(chance() * (high - low + 1))
}

function pick(items: readonly Value[], chance: () => number): Value {
  const picked = items[Math.floor(chance() * items.length)]
  if (picked !== undefined) return picked
  throw runtimeFault('The "random" function cannot pick from an empty sequence or mapping.')
}
