import type { DateTime } from './date-time.ts'
import { noteFields, Reading } from './reading.ts'
import { resolve } from './resolve.ts'
import { rules } from './rules.ts'
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

const compiledRules = rules.map((rule) => ({ ...rule, pattern: new RegExp(rule.pattern, 'iy') }))

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

/** A date as data has it, such as `2026-01-31T10:00:00Z`. */
export const iso =
  /^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$/

function read(text: string, zones: Zones): Reading {
  if (text.length > longestText) {
    throw new DateTextError(text.slice(0, longestText), 0, 'Unexpected character')
  }
  const reading = new Reading()
  // Nearly every date of data has this form: none of the others is tried, and its groups are read by position, which is faster.
  const match = iso.exec(text)
  if (match !== null) {
    const [, y, m, d, h, i, s, f, zone] = match
    noteFields(reading, { y, m, d, h, i, s, f })
    if (zone !== undefined) reading.zone = zones.find(zone)
    return reading
  }
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
  const { position } = at
  const zone = matchAt(zonePattern, text, position)
  let longest: RegExpExecArray | undefined
  let chosen: (typeof compiledRules)[number] | undefined
  for (const rule of compiledRules) {
    const match = matchAt(rule.pattern, text, position)
    if (match === null || match[0].length <= (longest?.[0].length ?? 0)) continue
    longest = match
    chosen = rule
  }
  if (chosen === undefined || longest === undefined) return readZone(reading, text, at)
  if (zone !== null && zone[0].length > longest[0].length) return readZone(reading, text, at)
  const { sets } = chosen
  if (sets !== undefined && (sets === 'date' ? reading.hasDate : reading.hasTime)) {
    throw new DateTextError(text, position, `Double ${sets} specification`)
  }
  chosen.apply(reading, longest.groups ?? {})
  return position + longest[0].length
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
