import type { FunctionDefinition } from '../../callables/definition.ts'
import { signature } from '../../callables/signature.ts'
import type { Render } from '../../runtime/render.ts'
import { collectionFrom } from '../../values/collections.ts'
import { toText } from '../../values/text.ts'
import { countryCodes, languageCodes, localeCodes, scriptCodes } from './codes.ts'
import { localeOf } from './locale.ts'
import { type NameType, nameOf } from './names.ts'
import { timezoneName } from './timezone-names.ts'

/** Finding one name and putting it in order takes some microseconds. */
const stepsAName = 60

type NameIn = (render: Render, code: string, locale: string) => string | undefined

/** A function that gives all codes with their names, in the order of the names. */
function listing(name: string, codes: () => readonly string[], find: NameIn): FunctionDefinition {
  return {
    name,
    signature: signature('locale = null'),
    call([locale = null], render) {
      const language = localeOf(locale, render)
      const all = codes()
      render.budget.allocateElements(all.length * 2)
      render.budget.spend(all.length * stepsAName)
      const named = all.flatMap((code): [string, string][] => {
        const found = find(render, code, language)
        return found === undefined ? [] : [[code, found]]
      })
      const { compare } = new Intl.Collator(language)
      return collectionFrom(named.sort(([, a], [, b]) => compare(a, b)))
    },
  }
}

const byType =
  (type: NameType): NameIn =>
  (render, code, locale) =>
    nameOf(render, code, { type, locale })

/** The functions of Twig's Intl extension that list names, and `country_timezones`. */
export const intlFunctions: readonly FunctionDefinition[] = [
  listing('country_names', () => countryCodes, byType('region')),
  listing('currency_names', () => Intl.supportedValuesOf('currency'), byType('currency')),
  listing('language_names', () => languageCodes, byType('language')),
  listing('locale_names', () => localeCodes, byType('locale')),
  listing('script_names', () => scriptCodes, byType('script')),
  listing('timezone_names', timezones, timezoneName),
  {
    name: 'country_timezones',
    signature: signature('country'),
    call([country = '']) {
      const code = toText(country)
      if (!/^[A-Z]{2}$/.test(code)) return []
      return timezonesOf(code)
    },
  },
]

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
