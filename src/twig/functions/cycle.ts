import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { runtimeFault } from '../errors/faults.ts'
import { arithmetic } from '../php/arithmetic.ts'
import { findByKey, isCollection, sizeOf } from '../values/collections.ts'

/** `cycle(values, position)`: the value at a position, beginning anew at the end. */
export const cycle: FunctionDefinition = {
  name: 'cycle',
  signature: signature('values, position'),
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
}
