import { createRequire } from 'node:module'
import { type FilterDefinition, requireText, signature } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { toBoolean, toText } from '../../values/conversions.ts'

/** Libraries are loaded when a template first asks for them. */
const require = createRequire(import.meta.url)

/** No word is longer. */
const longestWord = 100

function inflecting(name: 'singular' | 'plural'): FilterDefinition {
  return {
    name,
    signature: signature('locale = "en", all = false'),
    apply(value, [locale = 'en', all = false], { budget }) {
      const word = requireText(value, `"${name}" filter`)
      if (locale !== 'en') throw runtimeFault(`Locale "${toText(locale)}" is not supported.`)
      if (word.length > longestWord) throw runtimeFault(`The "${name}" filter expects a word.`)
      budget.spend(500)
      const { pluralize, singularize } = require('inflection') as typeof import('inflection')
      const inflected = name === 'plural' ? pluralize(word) : singularize(word)
      return toBoolean(all) ? [inflected] : inflected
    },
  }
}

/** `singular`: one of the many. English only. */
export const singular = inflecting('singular')

/** `plural`: many of the one. English only. */
export const plural = inflecting('plural')
