import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { require } from '../../libraries.ts'
import type { Render } from '../../runtime/render.ts'
import { toBoolean, toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'

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
      budget.spend(50 + text.length * 10)
      const between = toText(separator)
      budget.allocateText(text.length * (10 + between.length))
      const { default: anyAscii } = require('any-ascii') as typeof import('any-ascii')
      const words = anyAscii(spelledOut(text, locale)).split(/[^A-Za-z0-9]+/)
      return words.filter((word) => word !== '').join(between)
    },
  },
})

const umlauts: Record<string, string> = { Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ä: 'ae', ö: 'oe', ü: 'ue' }

/** What a language writes for signs and letters that ASCII lacks, as Symfony's slugger has it. */
function spelledOut(text: string, locale: Value): string {
  const language = locale === null ? '' : toText(locale).slice(0, 2)
  if (language === 'en') return text.replaceAll('@', ' at ').replaceAll('&', ' and ')
  if (language !== 'de') return text
  return text.normalize().replace(/[ÄÖÜäöü]/g, (letter) => umlauts[letter] ?? letter)
}

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
