import type { TestDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { isCollection, isList, isMapping, isObject } from '../values/collections.ts'

/** `is iterable`: `for` can walk over it. */
export const iterable: TestDefinition = {
  name: 'iterable',
  signature: signature(''),
  check: (value) => isCollection(value),
}

/** `is sequence`: its keys are 0, 1, 2, … in order. */
export const sequence: TestDefinition = {
  name: 'sequence',
  signature: signature(''),
  check: (value) => isList(value),
}

/** `is mapping`: a collection with other keys, or an object. */
export const mapping: TestDefinition = {
  name: 'mapping',
  signature: signature(''),
  check: (value) => isMapping(value) || isObject(value),
}
