import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { require } from '../../libraries.ts'
import type { Render } from '../../runtime/render.ts'
import { toBoolean, toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'
import { toAscii } from './ascii.ts'

/** No word is longer. */
const longestWord = 100

/** No title is longer. */
const longestText = 5_000

export const wordFilters = define<FilterDefinition>({
  'singular(locale = "en", all = false)': {
    description: 'The singular of an English word.',
    apply: (value, args, render) => inflect('singular', value, { args, render }),
  },
  'plural(locale = "en", all = false)': {
    description: 'The plural of an English word.',
    apply: (value, args, render) => inflect('plural', value, { args, render }),
  },
  'slug(separator = "-", locale = null)': {
    description: 'A text as a part of a URL, in ASCII letters.',
    apply(value, [separator = '-', locale = null], { budget }) {
      const text = requireText(value, '"slug" filter', longestText)
      const between = toText(separator)
      budget.spend(50)
      budget.allocateText(text.length * (10 + between.length))
      const language = locale === null ? '' : toText(locale).slice(0, 2)
      const isEnglish = language === 'en'
      const spelled = isEnglish ? text.replaceAll('@', ' at ').replaceAll('&', ' and ') : text
      const words = toAscii(spelled, budget, language).split(/[^A-Za-z0-9]+/)
      return words.filter((word) => word !== '').join(between)
    },
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
