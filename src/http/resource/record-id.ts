import Type from 'typebox'

/** An id in a path. What is no number is malformed; a number that is no id is merely unknown. */
export const idParameter = (description: string, example = 1) =>
  Type.String({
    pattern: '^[0-9]+$',
    fault: 'must be a whole number',
    description,
    examples: [String(example)],
  })

/** The path of one entry. */
export const idParameters = Type.Object({ id: idParameter('The id.') })

/** Reads an id that `idParameter` let through. Ids too large to be given name nothing. */
export function readId(text: string): number {
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}
