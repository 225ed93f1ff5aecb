import { type FilterDefinition, signature } from '../callables/definition.ts'
import { changeDate, convertDate } from '../dates/convert-date.ts'
import { createDate } from '../dates/date-kind.ts'
import { formatDate } from '../dates/format-date.ts'
import { formatInterval, intervalKind } from '../dates/interval.ts'
import { toText } from '../values/conversions.ts'
import { dataOf } from '../values/value.ts'

/** `date`: formats a date or an interval with PHP's format characters. */
export const date: FilterDefinition = {
  name: 'date',
  signature: signature('format = null, timezone = null'),
  apply(value, [format = null, timezone = null], render) {
    const interval = dataOf(value, intervalKind)
    const defaults = render.settings.dateFormat
    const fallback = interval === undefined ? defaults.date : defaults.interval
    const letters = format === null ? fallback : toText(format)
    if (interval !== undefined) return formatInterval(interval, letters, render.budget)
    return formatDate(convertDate(value, timezone, render), letters, render.budget)
  },
}

/** `date_modify`: changes a date by an expression such as `+1 month`. */
export const dateModify: FilterDefinition = {
  name: 'date_modify',
  signature: signature('modifier'),
  apply(value, [modifier = ''], render) {
    return createDate(changeDate(convertDate(value, false, render), toText(modifier), render))
  },
}
