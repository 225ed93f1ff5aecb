import { define, type FilterDefinition } from '../callables/definition.ts'
import { changeDate, convertDate } from '../dates/convert-date.ts'
import { createDate } from '../dates/date-kind.ts'
import { formatDate } from '../dates/format-date.ts'
import { formatInterval, intervalKind } from '../dates/interval.ts'
import { toText } from '../values/conversions.ts'
import { dataOf } from '../values/value.ts'

export const dateFilters = define<FilterDefinition>({
  'date(format = null, timezone = null)': {
    description: "Formats a date with PHP's format characters: date('j F Y').",
    apply(value, [format = null, timezone = null], render) {
      const interval = dataOf(value, intervalKind)
      const defaults = render.settings.dateFormat
      const fallback = interval === undefined ? defaults.date : defaults.interval
      const letters = format === null ? fallback : toText(format)
      if (interval !== undefined) return formatInterval(interval, letters, render.budget)
      return formatDate(convertDate(value, timezone, render), letters, render.budget)
    },
  },
  'date_modify(modifier)': {
    description: "Changes a date: date_modify('+1 month').",
    apply(value, [modifier = ''], render) {
      return createDate(changeDate(convertDate(value, false, render), toText(modifier), render))
    },
  },
})
