/** A time zone. */
export interface Zone {
  /** `Europe/Paris`, `+02:00`, or an abbreviation such as `EST`. */
  readonly name: string
  /** How the zone was named: by offset, by abbreviation, by a name of the IANA database. */
  readonly type: 'offset' | 'abbreviation' | 'named'
  /** Seconds east of Greenwich at a moment. */
  offsetAt(epochMs: number): number
  /** What people call the time then: `CET`, `CEST`, `+03`; `GMT+0200` where it is but an offset. */
  abbreviationAt(epochMs: number): string
  isDaylightTimeAt(epochMs: number): boolean
}

/** A zone that is so many seconds east of Greenwich at all times. */
export function offsetZone(seconds: number): Zone {
  const name = formatOffset(seconds, ':')
  return {
    name,
    type: 'offset',
    offsetAt: () => seconds,
    abbreviationAt: () => `GMT${formatOffset(seconds, '')}`,
    isDaylightTimeAt: () => false,
  }
}

/** A zone that one of its abbreviations names, daylight time being part of the name. */
export function abbreviationZone(name: string, seconds: number, isDaylightTime: boolean): Zone {
  return {
    name,
    type: 'abbreviation',
    offsetAt: () => seconds,
    abbreviationAt: () => name,
    isDaylightTimeAt: () => isDaylightTime,
  }
}

/** `+02:00`, or `+0200` without a separator. */
export function formatOffset(seconds: number, separator: string): string {
  const size = Math.abs(seconds)
  const hours = String(Math.floor(size / 3600)).padStart(2, '0')
  const minutes = String(Math.floor((size % 3600) / 60)).padStart(2, '0')
  const rest = size % 60 === 0 ? '' : separator + String(size % 60).padStart(2, '0')
  return `${seconds < 0 ? '-' : '+'}${hours}${separator}${minutes}${rest}`
}

export const utc: Zone = {
  ...abbreviationZone('UTC', 0, false),
  type: 'named',
}
