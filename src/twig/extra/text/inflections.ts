import { createRequire } from 'node:module'
import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import type { Render } from '../../runtime/render.ts'
import { toBoolean, toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'

/** Libraries are loaded when a template first asks for them. */
const require = createRequire(import.meta.url)

/** No word is longer. */
const longestWord = 100

export const inflectionFilters = define<FilterDefinition>({
  'singular(locale = "en", all = false)': {
    description: 'The singular of an English word.',
    apply: (value, args, render) => inflect('singular', value, { args, render }),
  },
  'plural(locale = "en", all = false)': {
    description: 'The plural of an English word.',
    apply: (value, args, render) => inflect('plural', value, { args, render }),
  },
})

function inflect(
  name: 'singular' | 'plural',
  value: Value,
  { args: [locale = 'en', all = false], render }: { args: readonly Value[]; render: Render },
): Value {
  const word = requireText(value, `"${name}" filter`)
  if (locale !== 'en') throw runtimeFault(`Locale "${toText(locale)}" is not supported.`)
  if (word.length > longestWord) throw runtimeFault(`The "${name}" filter expects a word.`)
  render.budget.spend(500)
  const { pluralize, singularize } = require('inflection') as typeof import('inflection')
  const inflected = name === 'plural' ? pluralize(word) : singularize(word)
  return toBoolean(all) ? [inflected] : inflected
}
