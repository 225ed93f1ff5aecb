import { define, type TestDefinition } from '../callables/definition.ts'
import { arithmetic } from '../php/arithmetic.ts'
import { looselyEqual, strictlyEqual } from '../php/comparison.ts'
import { isCollection, isList, isMapping, isObject } from '../values/collections.ts'
import { isEmpty, toBoolean, toText } from '../values/conversions.ts'

/** Every test of Twig. */
export const tests = define<TestDefinition>({
  'same as(value)': {
    description: 'The same type and value.',
    takesBareArgument: true,
    check: (value, [other = null], { budget }) => strictlyEqual(value, other, budget),
  },
  'constant(constant, object = null)': {
    description: 'Equal to a constant.',
    check(value, [name = ''], { budget, settings }) {
      const wanted = settings.constants.get(toText(name))
      return wanted !== undefined && strictlyEqual(value, wanted, budget)
    },
  },
  true: {
    description: 'True as a condition.',
    check: (value) => toBoolean(value),
  },
  even: {
    description: 'An even number.',
    check: (value) => arithmetic('%', value, 2) === 0,
  },
  odd: {
    description: 'An odd number, also a negative one.',
    check: (value) => Math.abs(arithmetic('%', value, 2)) === 1,
  },
  'divisible by(divisor)': {
    description: 'Divisible by a number.',
    takesBareArgument: true,
    check: (value, [divisor = 0], { budget }) =>
      looselyEqual(arithmetic('%', value, divisor), 0, budget),
  },
  // The compiler handles it, because its subject may not exist.
  defined: {
    description: 'A variable or attribute exists.',
    check: () => true,
  },
  empty: {
    description: 'Null, false, an empty text, or an empty collection.',
    check: (value) => isEmpty(value),
  },
  null: {
    description: 'Null.',
    check: (value) => value === null,
  },
  none: {
    description: 'The same as null.',
    check: (value) => value === null,
  },
  iterable: {
    description: 'A for loop can iterate over it.',
    check: (value) => isCollection(value),
  },
  sequence: {
    description: 'A list: its keys are 0, 1, 2, and so on.',
    check: (value) => isList(value),
  },
  mapping: {
    description: 'A collection with keys of its own, or an object.',
    check: (value) => isMapping(value) || isObject(value),
  },
})
