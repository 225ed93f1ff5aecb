import type { TestDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { arithmetic } from '../php/arithmetic.ts'
import { looselyEqual } from '../php/comparison.ts'

/** `is even`. */
export const even: TestDefinition = {
  name: 'even',
  signature: signature(''),
  check: (value) => arithmetic('%', value, 2) === 0,
}

/** `is odd`; so are negative odd numbers. */
export const odd: TestDefinition = {
  name: 'odd',
  signature: signature(''),
  check: (value) => Math.abs(arithmetic('%', value, 2)) === 1,
}

/** `is divisible by(3)`, `is divisible by 3`. */
export const divisibleBy: TestDefinition = {
  name: 'divisible by',
  signature: signature('divisor'),
  takesBareArgument: true,
  check: (value, [divisor = 0], { budget }) =>
    looselyEqual(arithmetic('%', value, divisor), 0, budget),
}
