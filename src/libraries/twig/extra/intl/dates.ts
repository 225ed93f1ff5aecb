import { define, type FilterDefinition } from '../../callables/definition.ts'
import { convertDate } from '../../dates/convert-date.ts'
import { type DateTime, daysFromCivil, toCivil } from '../../dates/date-time.ts'
import { runtimeFault } from '../../errors.ts'
import type { Render } from '../../runtime/render.ts'
import { toText } from '../../values/conversions.ts'
import type { Value } from '../../values/value.ts'
import { kept } from '../kept.ts'
import { formatPattern, intlZone } from './date-pattern.ts'
import { localeOf } from './locale.ts'

const lengths = ['none', 'short', 'medium', 'long', 'full'] as const
type Length = (typeof lengths)[number]

/** The date format, time format, pattern, time zone, calendar and locale are the arguments. */
function formatDateTime(value: Value, args: readonly Value[], render: Render): string {
  const [dateFormat = null, timeFormat = null, given = '', timezone = null] = args
  const [, , , , calendar = 'gregorian', localeName = null] = args
  const locale = localeOf(localeName, render)
  const moment = convertDate(value, timezone, render)
  const isGregorian = toText(calendar) === 'gregorian'
  const language = isGregorian ? `${locale}-u-ca-gregory` : locale
  // PHP's IntlDateFormatter takes null for its first style.
  const dateName = dateFormat === null ? 'full' : toText(dateFormat)
  const isRelative = dateName.startsWith('relative_')
  const dateLength = lengthOf(isRelative ? dateName.slice(9) : dateName, 'date')
  const timeLength = lengthOf(timeFormat === null ? 'full' : toText(timeFormat), 'time')
  // What ICU writes for neither a date nor a time.
  const isBare = dateLength === 'none' && timeLength === 'none' && !isRelative
  const pattern = toText(given) || (isBare ? 'yyyyMMdd hh:mm a' : '')
  if (pattern !== '') return formatPattern(pattern, { moment, locale: language, render })
  const time = formatStyle(render, moment, { language, timeStyle: timeLength })
  const near = isRelative ? relativeDay(render, moment, locale) : undefined
  if (near !== undefined) return time === '' ? near : `${near}, ${time}`
  return formatStyle(render, moment, { language, dateStyle: dateLength, timeStyle: timeLength })
}

function lengthOf(name: string, what: 'date' | 'time'): Length {
  const length = lengths.find((known) => known === name)
  if (length !== undefined) return length
  const relative = what === 'date' ? lengths.slice(1).map((known) => `relative_${known}`) : []
  throw runtimeFault(
    `The ${what} format "${name}" does not exist, known formats are: "${[...lengths, ...relative].join('", "')}".`,
  )
}

function formatStyle(
  render: Render,
  moment: DateTime,
  style: { language: string; dateStyle?: Length; timeStyle: Length },
): string {
  const { language, dateStyle = 'none', timeStyle } = style
  if (dateStyle === 'none' && timeStyle === 'none') return ''
  const timeZone = intlZone(moment)
  const key = `date ${language} ${dateStyle} ${timeStyle} ${timeZone}`
  const formatter = kept(
    render,
    key,
    () =>
      new Intl.DateTimeFormat(language, {
        ...(dateStyle === 'none' ? {} : { dateStyle }),
        ...(timeStyle === 'none' ? {} : { timeStyle }),
        timeZone,
      }),
  )
  return formatter.format(moment.epochMs)
}

/** `today`, `tomorrow`, `yesterday`; undefined for other days. */
function relativeDay(render: Render, moment: DateTime, locale: string): string | undefined {
  const now = { epochMs: render.settings.now(), zone: moment.zone }
  const days = daysFromCivil(toCivil(moment)) - daysFromCivil(toCivil(now))
  if (Math.abs(days) > 1) return undefined
  return kept(
    render,
    `relative ${locale}`,
    () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  ).format(days, 'day')
}

const rest = 'pattern = "", timezone = null, calendar = "gregorian", locale = null'

export const dateFilters = define<FilterDefinition>({
  [`format_datetime(date_format = "medium", time_format = "medium", ${rest})`]: {
    description: 'A date with its time as a locale writes it.',
    apply: formatDateTime,
  },
  [`format_date(date_format = "medium", ${rest})`]: {
    description: "A date as a locale writes it: format_date('full', locale='de').",
    apply: (value, [date = null, ...others], render) =>
      formatDateTime(value, [date, 'none', ...others], render),
  },
  [`format_time(time_format = "medium", ${rest})`]: {
    description: 'A time as a locale writes it.',
    apply: (value, args, render) => formatDateTime(value, ['none', ...args], render),
  },
})
