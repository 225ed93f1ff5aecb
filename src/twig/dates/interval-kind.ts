import { toText } from '../values/text.ts'
import { type ObjectKind, TwigObject, type Value } from '../values/value.ts'
import { formatInterval, type Interval } from './interval.ts'

/** The time between two dates as templates hold it: `interval.days`, `interval.format('%a')`. */
export const intervalKind: ObjectKind<Interval> = {
  className: 'DateInterval',
  attribute(interval, name) {
    switch (name) {
      case 'y':
        return interval.years
      case 'm':
        return interval.months
      case 'd':
        return interval.days
      case 'h':
        return interval.hours
      case 'i':
        return interval.minutes
      case 's':
        return interval.seconds
      case 'f':
        return interval.milliseconds / 1000
      case 'invert':
        return interval.isInverted ? 1 : 0
      case 'days':
        return interval.totalDays
      default:
        return undefined
    }
  },
  call(interval, method, args, meter) {
    if (method.toLowerCase() !== 'format') return undefined
    return formatInterval(interval, toText(args[0] ?? ''), meter)
  },
}

export function createInterval(interval: Interval): Value {
  return new TwigObject(intervalKind, interval)
}
