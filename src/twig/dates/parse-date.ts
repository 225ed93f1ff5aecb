import { dateRules } from './date-rules.ts'
import type { DateTime } from './date-time.ts'
import { fraction, Reading, type Rule } from './reading.ts'
import { relativeRules } from './relative-rules.ts'
import { resolve } from './resolve.ts'
import { timeRules } from './time-rules.ts'
import type { Zones } from './zones.ts'

/** A text that is no date: where reading it ended, and PHP's reason. */
export class DateTextError extends Error {
  readonly position: number

  constructor(text: string, position: number, reason: string) {
    const character = text.charAt(position)
    super(`Failed to parse time string (${text}) at position ${position} (${character}): ${reason}`)
    this.position = position
  }
}

/** The longest text that anybody writes for a date. */
export const longestText = 200

interface CompiledRule extends Omit<Rule, 'pattern'> {
  readonly pattern: RegExp
}

const rules: readonly CompiledRule[] = [...timeRules, ...dateRules, ...relativeRules].map(
  (rule) => ({ ...rule, pattern: new RegExp(rule.pattern, 'iy') }),
)

const separators = /[ \t\n\r,;()]*/y
const zonePattern =
  /\(?((?:GMT|UTC)?[+-][0-9]{1,2}(?::?[0-9]{2}){0,2}|[A-Za-z]+(?:[/_-][A-Za-z0-9_]+)*(?:[+-][0-9]+)?)\)?/y

/**
 * Parses a date as PHP's `strtotime` does. What the text leaves out is taken from `base`.
 * @see https://www.php.net/manual/en/datetime.formats.php
 */
export function parseDate(text: string, base: DateTime, zones: Zones): DateTime {
  return resolve(read(text, zones), base, { keepsTime: false })
}

/** Changes a date by a text such as `+1 month`. A text that sets only a day leaves the time as it is. */
export function modifyDate(text: string, base: DateTime, zones: Zones): DateTime {
  if (text === '') throw new DateTextError(text, 0, 'Unexpected character')
  return resolve(read(text, zones), base, { keepsTime: true })
}

function read(text: string, zones: Zones): Reading {
  if (text.length > longestText) {
    throw new DateTextError(text.slice(0, longestText), 0, 'Unexpected character')
  }
  const reading = readIso(text, zones)
  if (reading !== undefined) return reading
  return readWords(text, zones)
}

/** A date as data has it, such as `2026-01-31T10:00:00Z`. */
export const iso =
  /^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$/

/** The form that nearly every date of data has, without trying all the others. */
function readIso(text: string, zones: Zones): Reading | undefined {
  const match = iso.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, part, zone] = match
  const reading = new Reading()
  reading.setDate(Number(year), Number(month), Number(day))
  if (hour !== undefined) reading.setTime(Number(hour), Number(minute), Number(second ?? 0))
  if (part !== undefined) reading.millisecond = fraction(part)
  if (zone !== undefined) reading.zone = zones.find(zone)
  return reading
}

function readWords(text: string, zones: Zones): Reading {
  const reading = new Reading()
  let position = skip(text, 0)
  while (position < text.length) {
    position = skip(text, readPart(reading, text, { position, zones }))
  }
  return reading
}

function skip(text: string, position: number): number {
  separators.lastIndex = position
  return position + (separators.exec(text)?.[0].length ?? 0)
}

/** Applies the rule that fits the longest part of the text here, and gives where that part ends. */
function readPart(reading: Reading, text: string, at: { position: number; zones: Zones }): number {
  const fits = rules
    .map((rule) => ({ rule, match: matchAt(rule.pattern, text, at.position) }))
    .filter(({ match }) => match !== null)
    .sort((a, b) => (b.match?.[0].length ?? 0) - (a.match?.[0].length ?? 0))
  const zone = matchAt(zonePattern, text, at.position)
  for (const { rule, match } of fits) {
    if (match === null || (zone !== null && zone[0].length > match[0].length)) break
    checkOnce(reading, rule, { text, position: at.position })
    rule.apply(reading, match.slice(1))
    return at.position + match[0].length
  }
  return readZone(reading, text, at)
}

function checkOnce(
  reading: Reading,
  { sets }: Pick<Rule, 'sets'>,
  { text, position }: { text: string; position: number },
): void {
  if (sets === 'date' && reading.hasDate) {
    throw new DateTextError(text, position, 'Double date specification')
  }
  if (sets === 'time' && reading.hasTime) {
    throw new DateTextError(text, position, 'Double time specification')
  }
}

function readZone(
  reading: Reading,
  text: string,
  { position, zones }: { position: number; zones: Zones },
): number {
  const match = matchAt(zonePattern, text, position)
  if (match === null) throw new DateTextError(text, position, 'Unexpected character')
  const zone = zones.find(match[1] ?? '')
  if (zone === undefined) {
    throw new DateTextError(text, position, 'The timezone could not be found in the database')
  }
  if (reading.zone !== undefined) {
    throw new DateTextError(text, position, 'Double timezone specification')
  }
  reading.zone = zone
  return position + match[0].length
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  const match = pattern.exec(text)
  return match === null || match[0] === '' ? null : match
}
