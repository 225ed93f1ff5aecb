import { formatOffset, type Zone } from './zone.ts'
import { knownAbbreviation, unknownToDatabase } from './zone-abbreviations.ts'

/** Zones change their offset on the quarter of an hour, so one look-up serves so long. */
const bucketMs = 900_000
const bucketsKept = 1_000
/** Node names most zones `GMT+1` in one English and `CET` in another. */
const locales = ['en-GB', 'en-US', 'en-AU', 'en-NZ', 'en-ZA', 'en-IN', 'en-CA']

/** A zone of the IANA database, as Node's Intl knows it. Throws a RangeError where it knows none. */
export function namedZone(name: string): Zone {
  const wall = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const offsets = new Map<number, number>()
  const abbreviationAt = createAbbreviations(name)
  function offsetAt(epochMs: number): number {
    const bucket = Math.floor(epochMs / bucketMs)
    let offset = offsets.get(bucket)
    if (offset === undefined) {
      offset = measureOffset(wall, bucket * bucketMs)
      if (offsets.size >= bucketsKept) offsets.clear()
      offsets.set(bucket, offset)
    }
    return offset
  }
  return {
    name,
    type: 'named',
    offsetAt,
    abbreviationAt: (epochMs) => abbreviationAt(epochMs, offsetAt(epochMs)),
    isDaylightTimeAt: (epochMs) => offsetAt(epochMs) > standardOffset(epochMs, offsetAt),
  }
}

function measureOffset(wall: Intl.DateTimeFormat, epochMs: number): number {
  const fields = new Map(wall.formatToParts(epochMs).map(({ type, value }) => [type, value]))
  const field = (type: Intl.DateTimeFormatPartTypes): number => Number(fields.get(type))
  const year = fields.get('era') === 'BC' ? 1 - field('year') : field('year')
  const asUtc = new Date(0)
  asUtc.setUTCFullYear(year, field('month') - 1, field('day'))
  asUtc.setUTCHours(field('hour'), field('minute'), field('second'))
  return Math.round((asUtc.getTime() - epochMs) / 1000)
}

/** The lesser of the year's offsets: daylight time is ahead of it (but in Ireland's law). */
function standardOffset(epochMs: number, offsetAt: (epochMs: number) => number): number {
  const year = new Date(epochMs).getUTCFullYear()
  return Math.min(offsetAt(Date.UTC(year, 0, 1)), offsetAt(Date.UTC(year, 6, 1)))
}

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
    // Where people have no name for it, the database calls it by its offset: +03, +0530.
    const short = formatOffset(offset, '')
    return short.endsWith('00') ? short.slice(0, -2) : short
  }
}
