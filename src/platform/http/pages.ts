import Type from 'typebox'

/** The parameters of a list that is read page by page, where its answer has `nextPage`. */
export function pageParameters(limitMax: number) {
  return {
    next: Type.Optional(Type.String({ description: '`next` of the page before.' })),
    limit: limitParameter(limitMax),
  }
}

export const limitParameter = (limitMax: number) =>
  Type.Optional(Type.String({ description: `How many, at most ${limitMax}. Default 30.` }))

/** The field `next` of an answer. */
export const nextPage = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  description: 'The value of `next` for the next page; null at the end.',
  examples: [null],
})
