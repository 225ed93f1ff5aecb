import type { FilterDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { isEmpty } from '../values/truth.ts'

/** `default`: another value where this one is missing or empty. */
export const defaultFilter: FilterDefinition = {
  name: 'default',
  signature: signature('default = ""'),
  acceptsMissing: true,
  apply: (value, [fallback = '']) => (isEmpty(value) ? fallback : value),
}
