import { createCache } from '../cache.ts'
import { abbreviations, knownAbbreviation, unknownToDatabase } from './abbreviations.ts'

/** A time zone. */
export interface Zone {
  /** `Europe/Paris`, `+02:00`, or an abbreviation such as `EST`. */
  readonly name: string
  /** How the zone was given: by offset, by abbreviation, or by a name of the IANA database. */
  readonly type: 'offset' | 'abbreviation' | 'named'
  /** Seconds east of Greenwich at a moment. */
  offsetAt(epochMs: number): number
  /** The usual name of the time then: `CET`, `CEST`, `+03`; `GMT+0200` where the zone is an offset. */
  abbreviationAt(epochMs: number): string
  isDaylightTimeAt(epochMs: number): boolean
}

/** Finds time zones by name, abbreviation or offset, and keeps those that it found. */
export interface Zones {
  /** Finds a zone; undefined where there is none. */
  find(name: string): Zone | undefined
  /** Whether finding it takes no time: it was found before, or its name is too long. */
  isKept(name: string): boolean
}

/** Each zone keeps offsets too, about 100 kB. */
const zonesKept = 200

export function createZones(): Zones {
  /** Null where there is no zone of the name. */
  const kept = createCache<Zone | null>(zonesKept)
  return {
    isKept: (name) => name.length > 64 || kept.get(name) !== undefined,
    find(name) {
      if (name.length > 64) return undefined
      let zone = kept.get(name)
      if (zone === undefined) {
        zone = findZone(name) ?? null
        kept.set(name, zone)
      }
      return zone ?? undefined
    },
  }
}

function findZone(name: string): Zone | undefined {
  if (/^utc$/i.test(name)) return utc
  const offset = parseOffset(name)
  if (offset !== undefined) return offsetZone(offset)
  const abbreviation = abbreviations.get(name.toUpperCase())
  if (abbreviation !== undefined) {
    const [hours, isDaylightTime] = abbreviation
    return fixedZone(name.toUpperCase(), hours * 3600, isDaylightTime)
  }
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined
  try {
    return namedZone(name)
  } catch {
    return undefined
  }
}

/** Creates a zone with the same offset at all times. */
export function offsetZone(seconds: number): Zone {
  return {
    ...fixedZone(formatOffset(seconds, ':'), seconds, false),
    type: 'offset',
    abbreviationAt: () => `GMT${formatOffset(seconds, '')}`,
  }
}

function fixedZone(name: string, seconds: number, isDaylightTime: boolean): Zone {
  return {
    name,
    type: 'abbreviation',
    offsetAt: () => seconds,
    abbreviationAt: () => name,
    isDaylightTimeAt: () => isDaylightTime,
  }
}

export const utc: Zone = { ...fixedZone('UTC', 0, false), type: 'named' }

/** Zones change their offset on the quarter of an hour, so one look-up serves a quarter of an hour. */
const bucketMs = 900_000
const bucketsKept = 1_000

/** A zone of the IANA database, as Node's Intl knows it. Throws a RangeError where it knows none. */
function namedZone(name: string): Zone {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  // `europe/paris` is `Europe/Paris`, but `GB` stays, though Intl calls it `Europe/London`.
  const { timeZone } = clock.resolvedOptions()
  const properName = timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name
  const offsets = createCache<number, number>(bucketsKept)
  const abbreviationAt = createAbbreviations(name)
  function offsetAt(epochMs: number): number {
    const bucket = Math.floor(epochMs / bucketMs)
    let offset = offsets.get(bucket)
    if (offset === undefined) {
      offset = readOffset(clock.format(bucket * bucketMs))
      offsets.set(bucket, offset)
    }
    return offset
  }
  return {
    name: properName,
    type: 'named',
    offsetAt,
    abbreviationAt: (epochMs) => abbreviationAt(epochMs, offsetAt(epochMs)),
    isDaylightTimeAt: (epochMs) => offsetAt(epochMs) > standardOffset(epochMs, offsetAt),
  }
}

/** Seconds of the offset at the end of `11/22/2026, GMT+01:00`; for UTC it is `GMT`. */
function readOffset(text: string): number {
  return parseOffset(text.slice(text.lastIndexOf('GMT'))) ?? 0
}

/** Seconds of `+2`, `+02`, `+0230`, `+02:30`, `GMT-5`; undefined for anything else. */
function parseOffset(text: string): number | undefined {
  const match = /^(?:GMT|UTC)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?(?::?([0-9]{2}))?$/i.exec(text)
  if (match === null) return undefined
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0)
  return match[1] === '-' ? -seconds : seconds
}

/** `+02:00`, or `+0200` without a separator. */
export function formatOffset(seconds: number, separator: string): string {
  const size = Math.abs(seconds)
  const hours = String(Math.floor(size / 3600)).padStart(2, '0')
  const minutes = String(Math.floor((size % 3600) / 60)).padStart(2, '0')
  const rest = size % 60 === 0 ? '' : separator + String(size % 60).padStart(2, '0')
  return `${seconds < 0 ? '-' : '+'}${hours}${separator}${minutes}${rest}`
}

/** The lesser of the year's offsets: daylight time is ahead of it (except in Ireland's law). */
function standardOffset(epochMs: number, offsetAt: (epochMs: number) => number): number {
  const year = new Date(epochMs).getUTCFullYear()
  return Math.min(offsetAt(Date.UTC(year, 0, 1)), offsetAt(Date.UTC(year, 6, 1)))
}

/** Node names most zones `GMT+1` in one English and `CET` in another. */
const locales = ['en-GB', 'en-US', 'en-AU', 'en-NZ', 'en-ZA', 'en-IN', 'en-CA']

function createAbbreviations(name: string): (epochMs: number, offset: number) => string {
  let formatters: Intl.DateTimeFormat[] | undefined
  return (epochMs, offset) => {
    const known = knownAbbreviation(name, offset)
    if (known !== undefined) return known
    formatters ??= locales.map(
      (locale) => new Intl.DateTimeFormat(locale, { timeZone: name, timeZoneName: 'short' }),
    )
    for (const formatter of formatters) {
      const parts = formatter.formatToParts(epochMs)
      const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
      if (/^[A-Z]{2,5}$/.test(text) && !unknownToDatabase.has(text)) return text
    }
    // Where no abbreviation is in use, the database has the offset: +03, +0530.
    const short = formatOffset(offset, '')
    return short.endsWith('00') ? short.slice(0, -2) : short
  }
}
