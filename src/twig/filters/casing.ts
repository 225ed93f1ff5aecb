import { requireText } from '../callables/arguments.ts'
import type { FilterDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import type { Render } from '../runtime/render.ts'
import type { Value } from '../values/value.ts'

const none = signature('')

function casing(
  name: string,
  change: (text: string) => string,
  stepsACharacter = 1 / 8,
): FilterDefinition {
  return {
    name,
    signature: none,
    apply(value: Value, _args, render: Render) {
      const text = requireText(value, `"${name}" filter`)
      render.budget.allocateText(text.length)
      render.budget.spend(text.length * stepsACharacter)
      return change(text)
    },
  }
}

/** `upper`: all letters great. */
export const upper = casing('upper', (text) => text.toUpperCase())

/** `lower`: all letters small. */
export const lower = casing('lower', (text) => text.toLowerCase())

/** `capitalize`: the first letter great, the others small. */
export const capitalize = casing('capitalize', (text) => {
  const [first = ''] = text
  return first.toUpperCase() + text.slice(first.length).toLowerCase()
})

/** A word begins with a letter; signs that PHP calls ignorable for case don't end it. */
const words = /\p{L}[\p{L}\p{M}'’.:·\u00ad]*/gu

/** Each word is changed on its own. */
const titleSteps = 2

/** `title`: the first letter of each word great, the others small. */
export const title = casing(
  'title',
  (text) =>
    text.toLowerCase().replace(words, (word) => {
      const [first = ''] = word
      const [great = '', ...more] = first.toUpperCase()
      return great + more.join('').toLowerCase() + word.slice(first.length)
    }),
  titleSteps,
)
