import { abbreviations } from './abbreviations.ts'
import { namedZone } from './named-zone.ts'
import { abbreviationZone, offsetZone, utc, type Zone } from './zone.ts'

/** Finds time zones by any of the ways to name one, and keeps those that it found. */
export interface Zones {
  /** A zone by IANA name, abbreviation or offset; undefined where there is none. */
  find(name: string): Zone | undefined
  /** Whether finding it takes no time: it was found before, or its name is too long. */
  isKept(name: string): boolean
}

/** Each keeps offsets too: some 100 kB. */
const zonesKept = 200

export function createZones(): Zones {
  const kept = new Map<string, Zone | undefined>()
  return {
    isKept: (name) => name.length > 64 || kept.has(name),
    find(name) {
      if (name.length > 64) return undefined
      if (!kept.has(name)) {
        if (kept.size >= zonesKept) kept.clear()
        kept.set(name, findZone(name))
      }
      return kept.get(name)
    },
  }
}

function findZone(name: string): Zone | undefined {
  if (/^utc$/i.test(name)) return utc
  const offset = parseOffset(name)
  if (offset !== undefined) return offsetZone(offset)
  const abbreviation = abbreviations.get(name.toUpperCase())
  if (abbreviation !== undefined) {
    return abbreviationZone(name.toUpperCase(), abbreviation[0] * 3600, abbreviation[1])
  }
  return findNamedZone(name)
}

function findNamedZone(name: string): Zone | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined
  try {
    const zone = namedZone(name)
    return { ...zone, name: properName(name) }
  } catch {
    return undefined
  }
}

/** `europe/paris` is `Europe/Paris`, but `GB` stays what it is, unlike Intl's canonical names. */
function properName(name: string): string {
  const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  return canonical.toLowerCase() === name.toLowerCase() ? canonical : name
}

/** Seconds of `+2`, `+02`, `+0230`, `+02:30`, `GMT-5`; undefined for anything else. */
function parseOffset(text: string): number | undefined {
  const match = /^(?:GMT|UTC)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?(?::?([0-9]{2}))?$/i.exec(text)
  if (match === null) return undefined
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0)
  return match[1] === '-' ? -seconds : seconds
}
