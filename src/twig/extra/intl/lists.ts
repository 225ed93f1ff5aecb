import { define, type FunctionDefinition } from '../../callables/definition.ts'
import type { Render } from '../../runtime/render.ts'
import { collectionFrom } from '../../values/collections.ts'
import { toText } from '../../values/conversions.ts'
import { kept } from '../kept.ts'
import { countryCodes, languageCodes, localeCodes, scriptCodes } from './codes.ts'
import { localeOf } from './locale.ts'
import { findTimezoneName, type NameType, nameOf } from './names.ts'

/** Finding one name and putting it in order takes up to a tenth of a millisecond. */
const stepsAName = 100

type NameIn = (render: Render, code: string, locale: string) => string | undefined

/** The functions of Twig's Intl extension that list names, and `country_timezones`. */
export const intlFunctions = define<FunctionDefinition>({
  'country_names(locale = null)': {
    description: 'The names of all countries, by code.',
    call: listing('country_names', () => countryCodes, byType('region')),
  },
  'currency_names(locale = null)': {
    description: 'The names of all currencies, by code.',
    call: listing('currency_names', () => Intl.supportedValuesOf('currency'), byType('currency')),
  },
  'language_names(locale = null)': {
    description: 'The names of all languages, by code.',
    call: listing('language_names', () => languageCodes, byType('language')),
  },
  'locale_names(locale = null)': {
    description: 'The names of all locales, by code.',
    call: listing('locale_names', () => localeCodes, byType('locale')),
  },
  'script_names(locale = null)': {
    description: 'The names of all scripts, by code.',
    call: listing('script_names', () => scriptCodes, byType('script')),
  },
  'timezone_names(locale = null)': {
    description: 'The names of all time zones.',
    call: listing('timezone_names', timezones, (_, zone, locale) => findTimezoneName(zone, locale)),
  },
  'country_timezones(country)': {
    description: 'The time zones of a country.',
    call([country = ''], { budget }) {
      budget.spend(500)
      const code = toText(country)
      if (!/^[A-Z]{2}$/.test(code)) return []
      return timezonesOf(code)
    },
  },
})

/** Gives all codes with their names, in the order of the names. */
function listing(
  name: string,
  codes: () => readonly string[],
  find: NameIn,
): FunctionDefinition['call'] {
  return ([locale = null], render) => {
    const language = localeOf(locale, render)
    const named = kept(render, `${name} ${language}`, () => {
      const all = codes()
      render.budget.spend(all.length * stepsAName)
      const pairs = all.flatMap((code): [string, string][] => {
        const text = find(render, code, language)
        return text === undefined ? [] : [[code, text]]
      })
      const { compare } = new Intl.Collator(language)
      return pairs.sort(([, a], [, b]) => compare(a, b))
    })
    render.budget.allocateElements(named.length * 2)
    return collectionFrom(named)
  }
}

function byType(type: NameType): NameIn {
  return (render, code, locale) => nameOf(render, code, { type, locale })
}

function timezones(): string[] {
  // Each takes a formatter of its own, so a region's few must do: those of the IANA database's areas.
  return Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'))
}

interface LocaleWithTimezones {
  getTimeZones(): string[] | undefined
}

function timezonesOf(country: string): string[] {
  // In Node since V8 9.9, but not yet in TypeScript's libraries.
  const locale = new Intl.Locale(`und-${country}`) as unknown as LocaleWithTimezones
  return locale.getTimeZones() ?? []
}
