import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { runtimeFault } from '../errors/faults.ts'
import { toInt } from '../php/casts.ts'
import { characters } from '../php/characters.ts'
import { isCollection, sizeOf, valuesOf } from '../values/collections.ts'
import type { Value } from '../values/value.ts'

/** So many elements are copied in one step. */
const elementsAStep = 8

/** What PHP's `mt_rand` gives at most. */
const greatest = 2_147_483_647

/** `random`: a number up to another, or one of the elements or characters. */
export const random: FunctionDefinition = {
  name: 'random',
  signature: signature('values = null, max = null'),
  call([values = null, max = null], { budget, settings }) {
    if (values === null) return between(0, max === null ? greatest : toInt(max), settings.random)
    if (typeof values === 'number') return numberUpTo(values, max, settings.random)
    if (typeof values === 'string') {
      budget.allocateElements(values.length)
      return values === '' ? '' : pick(characters(values), settings.random)
    }
    if (isCollection(values)) budget.spend(sizeOf(values) / elementsAStep)
    return isCollection(values) ? pick(valuesOf(values), settings.random) : values
  },
}

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
