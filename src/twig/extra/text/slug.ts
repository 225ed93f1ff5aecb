import { createRequire } from 'node:module'
import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'

/** Libraries are loaded when a template first asks for them. */
const require = createRequire(import.meta.url)

/** No title is longer. */
const longestText = 5_000

export const slugFilters = define<FilterDefinition>({
  'slug(separator = "-", locale = null)': {
    description: 'A text as a part of a URL, in ASCII letters.',
    apply(value, [separator = '-', locale = null], { budget }) {
      const text = requireText(value, '"slug" filter')
      if (text.length > longestText) {
        throw runtimeFault(`The "slug" filter takes at most ${longestText} characters.`)
      }
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
