import { phpFault } from '../errors/faults.ts'
import type { Settings } from '../runtime/settings.ts'
import { toText } from '../values/text.ts'
import { dataOf, type Value } from '../values/value.ts'
import { dateKind } from './date-kind.ts'
import type { DateTime } from './date-time.ts'
import { DateTextError, modifyDate, parseDate } from './parse-date.ts'
import { utc, type Zone } from './zone.ts'

/**
 * A date of whatever may stand for one: a date, a number of seconds, a text, null for now. It is told
 * in `timezone`: null is the engine's own zone, false leaves the date's.
 */
export function convertDate(value: Value, timezone: Value, settings: Settings): DateTime {
  const zone = timezone === false ? undefined : findZone(timezone, settings)
  const date = dataOf(value, dateKind)
  if (date !== undefined) return { epochMs: date.epochMs, zone: zone ?? date.zone }
  const text = value === null ? 'now' : toText(value)
  const own = findZone(null, settings)
  if (text === 'now') return { epochMs: settings.now(), zone: zone ?? own }
  const read = /^-?[0-9]{1,15}$/.test(text)
    ? { epochMs: Number(text) * 1000, zone: utc }
    : explaining('__construct', () =>
        parseDate(text, { epochMs: settings.now(), zone: own }, settings.zones),
      )
  return zone === undefined ? read : { epochMs: read.epochMs, zone }
}

/** The date that a text such as `+1 month` makes of another. */
export function changeDate(date: DateTime, text: string, settings: Settings): DateTime {
  return explaining('modify', () => modifyDate(text, date, settings.zones))
}

function explaining(caller: string, read: () => DateTime): DateTime {
  try {
    return read()
  } catch (error) {
    if (error instanceof DateTextError || error instanceof RangeError) {
      throw phpFault(`DateTime::${caller}(): ${error.message}`)
    }
    throw error
  }
}

/** A zone by name; null for the engine's own. Throws PHP's sentence where there is none. */
function findZone(name: Value, settings: Settings): Zone {
  const wanted = name === null ? settings.timezone : toText(name)
  const zone = settings.zones.find(wanted)
  if (zone === undefined) {
    throw phpFault(`DateTimeZone::__construct(): Unknown or bad timezone (${wanted})`)
  }
  return zone
}
