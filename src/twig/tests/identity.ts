import type { TestDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { strictlyEqual } from '../php/comparison.ts'
import { toText } from '../values/text.ts'
import { toBoolean } from '../values/truth.ts'

/** `is same as(other)`: of one type and value. */
export const sameAs: TestDefinition = {
  name: 'same as',
  signature: signature('value'),
  takesBareArgument: true,
  check: (value, [other = null], { budget }) => strictlyEqual(value, other, budget),
}

/** `is constant('NAME')`: the same as a constant. */
export const constant: TestDefinition = {
  name: 'constant',
  signature: signature('constant, object = null'),
  check(value, [name = ''], { budget, settings }) {
    const wanted = settings.constants.get(toText(name))
    return wanted !== undefined && strictlyEqual(value, wanted, budget)
  },
}

/** `is true`: holds as a condition. */
export const isTrue: TestDefinition = {
  name: 'true',
  signature: signature(''),
  check: (value) => toBoolean(value),
}
