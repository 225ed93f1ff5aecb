import { phpFault } from '../errors/faults.ts'
import type { Render } from '../runtime/render.ts'
import type { Settings } from '../runtime/settings.ts'
import { toText } from '../values/text.ts'
import { dataOf, type Value } from '../values/value.ts'
import { latestMs } from './civil.ts'
import { dateKind } from './date-kind.ts'
import type { DateTime } from './date-time.ts'
import { DateTextError, modifyDate, parseDate } from './parse-date.ts'
import { utc, type Zone } from './zone.ts'

/** What reading a date needs of a render. */
type Reader = Pick<Render, 'settings' | 'budget'>

/** Each word is tried against some forty patterns. */
const stepsACharacter = 4

function askToRead(text: string, { budget }: Reader): void {
  budget.spend(10 + Math.min(text.length, 1_000) * stepsACharacter)
}

/**
 * A date of whatever may stand for one: a date, a number of seconds, a text, null for now. It is told
 * in `timezone`: null is the engine's own zone, false leaves the date's.
 */
export function convertDate(value: Value, timezone: Value, render: Reader): DateTime {
  const { settings } = render
  const zone = timezone === false ? undefined : findZone(timezone, settings)
  const date = dataOf(value, dateKind)
  if (date !== undefined) return { epochMs: date.epochMs, zone: zone ?? date.zone }
  const text = value === null ? 'now' : toText(value)
  const own = findZone(null, settings)
  if (text === 'now') return { epochMs: settings.now(), zone: zone ?? own }
  askToRead(text, render)
  const read = /^-?[0-9]{1,15}$/.test(text)
    ? fromSeconds(Number(text))
    : explaining('', () => parseDate(text, { epochMs: settings.now(), zone: own }, settings.zones))
  return zone === undefined ? read : { epochMs: read.epochMs, zone }
}

function fromSeconds(seconds: number): DateTime {
  const epochMs = seconds * 1000
  if (Math.abs(epochMs) <= latestMs) return { epochMs, zone: utc }
  throw phpFault('The date is out of range.')
}

/** The date that a text such as `+1 month` makes of another. */
export function changeDate(date: DateTime, text: string, render: Reader): DateTime {
  askToRead(text, render)
  return explaining('DateTime::modify(): ', () => modifyDate(text, date, render.settings.zones))
}

function explaining(caller: string, read: () => DateTime): DateTime {
  try {
    return read()
  } catch (error) {
    if (error instanceof DateTextError || error instanceof RangeError) {
      throw phpFault(caller + error.message)
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
