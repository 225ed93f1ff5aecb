import Type from 'typebox'
import { idParameter } from './record-id.ts'
import type { ResourceShape } from './resource.ts'

/** The examples that the description has of a resource, all about the same two records. */
export interface ResourceExamples {
  item: Record<string, unknown> & { id: number }
  /** What creates the first record, and the second. */
  inputs: readonly [unknown, unknown]
  change: Record<string, unknown>
  /** The id that the second record gets. */
  secondId: number
}

/** Reads the examples of a resource; throws where one is missing. */
export function examplesOf({ label, item, input, exampleChange }: ResourceShape): ResourceExamples {
  const [example] = (item as { examples?: ResourceExamples['item'][] }).examples ?? []
  const [first, second] = (input as { examples?: unknown[] }).examples ?? []
  if (example === undefined || first === undefined || second === undefined) {
    throw new Error(`${label}: give its item one example and its input two.`)
  }
  const secondId = example.id + 1
  return { item: example, inputs: [first, second], change: exampleChange, secondId }
}

/** The path of one record of a resource. */
export function pathOfOne(shape: ResourceShape) {
  return Type.Object({ id: idParameter(`Id of the ${shape.label}.`, examplesOf(shape).item.id) })
}

/** The name of an operation on a resource: `createTwigTemplate`. */
export function operationId(verb: string, { label }: ResourceShape, ending = ''): string {
  const words = label.split(' ').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${verb}${words.join('')}${ending}`
}

/** A label after its article: `an OAuth client`. */
export function withArticle({ label }: ResourceShape): string {
  return `${/^[aeio]/i.test(label) ? 'an' : 'a'} ${label}`
}
