import {
  define,
  type FilterDefinition,
  type FunctionDefinition,
  requireText,
} from '../../callables/definition.ts'
import type { Render } from '../../runtime/render.ts'
import { collectionFrom } from '../../values/collections.ts'
import { toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'
import { kept } from '../kept.ts'
import { countryCodes, languageCodes, localeCodes, scriptCodes } from './codes.ts'
import { localeOf } from './locale.ts'

type NameType = Intl.DisplayNamesType | 'locale'

/** The name of a code in a locale; undefined where it has none. */
function nameOf(
  render: Render,
  code: string,
  { type, locale }: { type: NameType; locale: string },
): string | undefined {
  const names = kept(render, `names ${type} ${locale}`, () => {
    const isLocale = type === 'locale'
    return new Intl.DisplayNames(locale, {
      type: isLocale ? 'language' : type,
      languageDisplay: isLocale ? 'standard' : 'dialect',
      fallback: 'none',
    })
  })
  try {
    return names.of(code.replaceAll('_', '-'))
  } catch (error) {
    // Not of the form that such a code has.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const languageCode = /^[a-z]{2,3}([_-][A-Za-z0-9]+)*$/

/** What Twig's Intl extension names by code. A code of another form is given back as it is. */
const namedCodes = (
  [
    ['country', 'region', /^[A-Z]{2}$/, "The name of a country: 'FR' is France."],
    ['currency', 'currency', /^[A-Z]{3}$/, "The name of a currency: 'EUR' is Euro."],
    ['language', 'language', languageCode, "The name of a language: 'de' is German."],
    ['locale', 'locale', languageCode, "The name of a locale: 'fr_CA' is French (Canada)."],
  ] as const
).map(([one, type, form, description]) => [
  `${one}_name(locale = null)`,
  {
    description,
    apply(value: Value, [locale = null]: readonly Value[], render: Render) {
      if (value === null) return ''
      const code = requireText(value, `"${one}_name" filter`)
      if (!form.test(code)) return code
      return nameOf(render, code, { type, locale: localeOf(locale, render) }) ?? code
    },
  },
])

export const nameFilters = define<FilterDefinition>({
  ...Object.fromEntries(namedCodes),
  'currency_symbol(locale = null)': {
    description: "The symbol of a currency: 'EUR' is €.",
    apply(value, [locale = null], render) {
      if (value === null) return ''
      const code = requireText(value, '"currency_symbol" filter')
      if (!/^[A-Z]{3}$/.test(code)) return code
      const language = localeOf(locale, render)
      const parts = kept(render, `symbol ${language} ${code}`, () =>
        new Intl.NumberFormat(language, { style: 'currency', currency: code }).formatToParts(0),
      )
      const symbol = parts.find(({ type }) => type === 'currency')?.value ?? code
      // ICU's sign for any currency says nothing.
      return symbol === '¤' ? code : symbol
    },
  },
  'timezone_name(locale = null)': {
    description: "The name of a time zone: 'Europe/Paris' is Central European Time.",
    apply(value, [locale = null], render) {
      if (value === null) return ''
      const zone = requireText(value, '"timezone_name" filter')
      const language = localeOf(locale, render)
      return (
        kept(render, `zone ${language} ${zone}`, () => findTimezoneName(zone, language)) ?? zone
      )
    },
  },
})

/** Long ago a zone was called otherwise. */
const today = Date.UTC(2024, 0, 1)

/** What people call a time zone, with the city that it is named after; undefined where there is none. */
function findTimezoneName(zone: string, locale: string): string | undefined {
  if (!/^[A-Z][A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(zone)) return undefined
  try {
    const generic = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'longGeneric' })
      .formatToParts(today)
      .find(({ type }) => type === 'timeZoneName')
    const city = zone.split('/').at(-1)?.replaceAll('_', ' ')
    return generic === undefined ? undefined : `${generic.value} (${city})`
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Finding one name and putting it in order takes up to a tenth of a millisecond. */
const stepsAName = 100

type NameIn = (render: Render, code: string, locale: string) => string | undefined

/** What Twig's Intl extension lists by name: one, all of them, their codes, and how to name one. */
const lists: readonly [one: string, all: string, codes: () => readonly string[], find: NameIn][] = [
  ['country', 'countries', () => countryCodes, byType('region')],
  ['currency', 'currencies', () => Intl.supportedValuesOf('currency'), byType('currency')],
  ['language', 'languages', () => languageCodes, byType('language')],
  ['locale', 'locales', () => localeCodes, byType('locale')],
  ['script', 'scripts', () => scriptCodes, byType('script')],
  ['timezone', 'time zones', timezones, (_, zone, locale) => findTimezoneName(zone, locale)],
]

const listFunctions = lists.map(([one, all, codes, find]) => [
  `${one}_names(locale = null)`,
  { description: `The names of all ${all}, by code.`, call: listing(one, codes, find) },
])

/** The functions that list names, and `country_timezones`. */
export const nameFunctions = define<FunctionDefinition>({
  ...Object.fromEntries(listFunctions),
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
    const named = kept(render, `list ${name} ${language}`, () => {
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
