import { toText } from '../values/conversions.ts'
import { dataOf, type ObjectKind, TwigObject, type Value } from '../values/value.ts'
import type { DateTime } from './date-time.ts'
import { formatDate } from './format-date.ts'
import { difference, intervalKind } from './interval.ts'
import { utc, type Zone } from './zones.ts'

/** A date as templates hold it: `date.timestamp`, `date.timezone.name`, `date.format('Y')`, `date.diff(other)`. */
export const dateKind: ObjectKind<DateTime> = {
  className: 'DateTime',
  attribute(date, name) {
    switch (name.toLowerCase()) {
      case 'timestamp':
        return Math.floor(date.epochMs / 1000)
      case 'timezone':
        return new TwigObject(zoneKind, date.zone)
      case 'offset':
        return date.zone.offsetAt(date.epochMs)
      default:
        return undefined
    }
  },
  call(date, method, args, budget) {
    const name = method.toLowerCase()
    if (name.startsWith('get')) return dateKind.attribute?.(date, name.slice(3))
    if (name === 'format') return formatDate(date, toText(args[0] ?? ''), budget)
    const other = dataOf(args[0], dateKind)
    return name === 'diff' && other !== undefined
      ? new TwigObject(intervalKind, difference(date, other))
      : undefined
  },
  compare: (a, b) => Math.sign(a.epochMs - b.epochMs),
}

const zoneKind: ObjectKind<Zone> = {
  className: 'DateTimeZone',
  text: (zone) => zone.name,
  attribute: (zone, name) => (name.toLowerCase() === 'name' ? zone.name : undefined),
  call: (zone, method) => (method.toLowerCase() === 'getname' ? zone.name : undefined),
}

export function createDate(date: DateTime): Value {
  return new TwigObject(dateKind, date)
}

/** A JavaScript `Date` from outside; undefined for an invalid one. */
export function dateFromHost(date: Date): Value | undefined {
  const epochMs = Date.prototype.getTime.call(date)
  return Number.isNaN(epochMs) ? undefined : createDate({ epochMs, zone: utc })
}
