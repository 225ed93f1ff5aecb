import { type ErrorStatus, errorComponents, errorReference } from './errors.ts'

interface DescribedOperation {
  'x-errors'?: readonly ErrorStatus[]
  responses?: Record<string, unknown>
}

interface Document {
  paths?: Record<string, Record<string, DescribedOperation>>
  components?: { responses?: Record<string, unknown> }
}

/** Puts the answers to errors into the components once, and references to them into every operation. */
export function shareErrors<T extends Document>(document: T): T {
  const paths = mapValues(document.paths ?? {}, (operations) => mapValues(operations, addErrors))
  return {
    ...document,
    paths,
    components: { ...document.components, responses: errorComponents() },
  }
}

function addErrors({ 'x-errors': errors = [], ...operation }: DescribedOperation) {
  const references = errors.map((status) => [status, errorReference(status)])
  return {
    ...operation,
    responses: { ...operation.responses, ...Object.fromEntries(references) },
  }
}

function mapValues<T, U>(values: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
