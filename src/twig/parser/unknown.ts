import type {
  FilterDefinition,
  FunctionDefinition,
  TestDefinition,
} from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'

// Stand-ins for names that don't exist, where parsing goes on in spite of them: in dead branches of
// `guard`, and to find the other faults of a template. They take any arguments and are never run.

const anything = signature('...arguments')

export function unknownFilter(name: string): FilterDefinition {
  return { name, signature: anything, apply: () => null }
}

export function unknownFunction(name: string): FunctionDefinition {
  return { name, signature: anything, call: () => null }
}

export function unknownTest(name: string): TestDefinition {
  return { name, signature: anything, check: () => false }
}
