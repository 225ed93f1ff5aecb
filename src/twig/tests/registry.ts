import { signature, type TestDefinition } from '../callables/definition.ts'
import { arithmetic } from '../php/arithmetic.ts'
import { looselyEqual, strictlyEqual } from '../php/comparison.ts'
import { isCollection, isList, isMapping, isObject } from '../values/collections.ts'
import { isEmpty, toBoolean, toText } from '../values/conversions.ts'

/** `is same as(other)`: the same type and value. */
const sameAs: TestDefinition = {
  name: 'same as',
  signature: signature('value'),
  takesBareArgument: true,
  check: (value, [other = null], { budget }) => strictlyEqual(value, other, budget),
}

/** `is constant('NAME')`: the same as a constant. */
const constant: TestDefinition = {
  name: 'constant',
  signature: signature('constant, object = null'),
  check(value, [name = ''], { budget, settings }) {
    const wanted = settings.constants.get(toText(name))
    return wanted !== undefined && strictlyEqual(value, wanted, budget)
  },
}

/** `is true`: true as a condition. */
const isTrue: TestDefinition = {
  name: 'true',
  signature: signature(''),
  check: (value) => toBoolean(value),
}

/** `is even`. */
const even: TestDefinition = {
  name: 'even',
  signature: signature(''),
  check: (value) => arithmetic('%', value, 2) === 0,
}

/** `is odd`, also for negative numbers. */
const odd: TestDefinition = {
  name: 'odd',
  signature: signature(''),
  check: (value) => Math.abs(arithmetic('%', value, 2)) === 1,
}

/** `is divisible by(3)` or `is divisible by 3`. */
const divisibleBy: TestDefinition = {
  name: 'divisible by',
  signature: signature('divisor'),
  takesBareArgument: true,
  check: (value, [divisor = 0], { budget }) =>
    looselyEqual(arithmetic('%', value, divisor), 0, budget),
}

/** `is defined`: the compiler handles it, because its subject may not exist. */
const defined: TestDefinition = {
  name: 'defined',
  signature: signature(''),
  check: () => true,
}

/** `is empty`: null, false, '', or an empty collection. */
const empty: TestDefinition = {
  name: 'empty',
  signature: signature(''),
  check: (value) => isEmpty(value),
}

/** `is null`. */
const isNull: TestDefinition = {
  name: 'null',
  signature: signature(''),
  check: (value) => value === null,
}

/** `is none`: the same as `is null`. */
const none: TestDefinition = { ...isNull, name: 'none' }

/** `is iterable`: `for` can iterate over it. */
const iterable: TestDefinition = {
  name: 'iterable',
  signature: signature(''),
  check: (value) => isCollection(value),
}

/** `is sequence`: its keys are 0, 1, 2, … in order. */
const sequence: TestDefinition = {
  name: 'sequence',
  signature: signature(''),
  check: (value) => isList(value),
}

/** `is mapping`: a collection with other keys, or an object. */
const mapping: TestDefinition = {
  name: 'mapping',
  signature: signature(''),
  check: (value) => isMapping(value) || isObject(value),
}

/** Every test of Twig, one per line. */
export const tests: readonly TestDefinition[] = [
  constant,
  defined,
  divisibleBy,
  empty,
  even,
  iterable,
  mapping,
  none,
  isNull,
  odd,
  sameAs,
  sequence,
  isTrue,
]
