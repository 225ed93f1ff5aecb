import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { phpFault } from '../errors/faults.ts'
import { compare } from '../php/comparison.ts'
import { isCollection, valuesOf } from '../values/collections.ts'
import { typeName } from '../values/type-name.ts'
import type { Value } from '../values/value.ts'

function extreme(name: 'max' | 'min', isBetter: (order: number) => boolean): FunctionDefinition {
  return {
    name,
    signature: signature('value, ...values'),
    call(args, { budget }) {
      const candidates = args.length > 1 ? args : elements(name, args[0] ?? null)
      let best: Value | undefined
      for (const candidate of candidates) {
        budget.spend(1)
        const isFirst = best === undefined
        if (isFirst || isBetter(compare(candidate, best ?? null, budget))) best = candidate
      }
      if (best !== undefined) return best
      throw phpFault(`${name}(): Argument #1 ($value) must contain at least one element`)
    },
  }
}

function elements(name: string, value: Value): readonly Value[] {
  if (isCollection(value)) return valuesOf(value)
  throw phpFault(`${name}(): Argument #1 ($value) must be of type array, ${typeName(value)} given`)
}

/** `max`: the greatest of its arguments, or of the elements of one. */
export const max = extreme('max', (order) => order > 0)

/** `min`: the least of its arguments, or of the elements of one. */
export const min = extreme('min', (order) => order < 0)
