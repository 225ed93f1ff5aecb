import type { TestDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { isEmpty } from '../values/truth.ts'

/** `is defined`: compiled by its own rules, since its subject may not exist. */
export const defined: TestDefinition = {
  name: 'defined',
  signature: signature(''),
  check: () => true,
}

/** `is empty`: null, false, '', or a collection without elements. */
export const empty: TestDefinition = {
  name: 'empty',
  signature: signature(''),
  check: (value) => isEmpty(value),
}

/** `is null`. */
export const isNull: TestDefinition = {
  name: 'null',
  signature: signature(''),
  check: (value) => value === null,
}

/** `is none`: the same as `is null`. */
export const none: TestDefinition = { ...isNull, name: 'none' }
