import type { Budget } from '../budget.ts'
import { phpFault } from '../errors.ts'
import { toText } from '../values/conversions.ts'
import { dataOf, type Value } from '../values/value.ts'
import { dateKind } from './date-kind.ts'
import { type DateTime, latestMs } from './date-time.ts'
import { DateTextError, iso, longestText, modifyDate, parseDate } from './parse-date.ts'
import { utc, type Zone, type Zones } from './zones.ts'

/** What reading a date takes, and each character of its text. */
const dateSteps = 20
const stepsACharacter = 20
/** Making a zone. */
const zoneSteps = 3_000

/** What reading a date needs of a render: its budget, the current time, and the time zones. */
interface DateContext {
  readonly budget: Budget
  readonly settings: {
    readonly now: () => number
    readonly timezone: string
    readonly zones: Zones
  }
}

/**
 * Converts a value to a date: a date, a number of seconds, a text, or null for now. It is shown in
 * `timezone`: null is the engine's own zone, false keeps the date's.
 */
export function convertDate(value: Value, timezone: Value, render: DateContext): DateTime {
  const { budget, settings } = render
  budget.spend(dateSteps)
  const zone = timezone === false ? undefined : findZone(timezone, render)
  const date = dataOf(value, dateKind)
  if (date !== undefined) return { epochMs: date.epochMs, zone: zone ?? date.zone }
  const text = value === null ? 'now' : toText(value)
  const own = findZone(null, render)
  if (text === 'now') return { epochMs: settings.now(), zone: zone ?? own }
  spendOnWords(text, budget)
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
export function changeDate(
  date: DateTime,
  text: string,
  { budget, settings }: DateContext,
): DateTime {
  spendOnWords(text, budget)
  return explaining('DateTime::modify(): ', () => modifyDate(text, date, settings.zones))
}

/** Each part of a text is compared with some fifty forms; a zone may be one of them. */
function spendOnWords(text: string, budget: Budget): void {
  if (iso.test(text)) return
  budget.spend(Math.min(text.length, longestText) * stepsACharacter)
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
function findZone(name: Value, { budget, settings }: DateContext): Zone {
  const wanted = name === null ? settings.timezone : toText(name)
  if (!settings.zones.isKept(wanted)) budget.spend(zoneSteps)
  const zone = settings.zones.find(wanted)
  if (zone === undefined) {
    throw phpFault(`DateTimeZone::__construct(): Unknown or bad timezone (${wanted})`)
  }
  return zone
}
