import type { TestDefinition } from '../callables/definition.ts'
import { constant, isTrue, sameAs } from './identity.ts'
import { divisibleBy, even, odd } from './parity.ts'
import { defined, empty, isNull, none } from './presence.ts'
import { iterable, mapping, sequence } from './shape.ts'

/** Every test of the language. */
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
