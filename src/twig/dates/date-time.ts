import { type Civil, civilFromMs, civilToMs } from './civil.ts'
import type { Zone } from './zone.ts'

/** A moment, and the zone in which it is told. */
export interface DateTime {
  /** Milliseconds from 1970-01-01T00:00Z; microseconds are a fraction. */
  readonly epochMs: number
  readonly zone: Zone
}

/** What clocks and calendars of its zone show at a moment. */
export function toCivil({ epochMs, zone }: DateTime): Civil {
  return civilFromMs(epochMs + zone.offsetAt(epochMs) * 1000)
}

/**
 * The moment at which a zone's clocks show a civil time. A time that a change of clocks leaves out is
 * as much later as the change; one that comes twice is the first, as PHP has it.
 */
export function fromCivil(civil: Civil, zone: Zone): DateTime {
  const wallMs = civilToMs(civil)
  const before = zone.offsetAt(wallMs - 86_400_000)
  const after = zone.offsetAt(wallMs + 86_400_000)
  const early = wallMs - before * 1000
  if (before === after || zone.offsetAt(early) === before) return { epochMs: early, zone }
  const late = wallMs - after * 1000
  return { epochMs: zone.offsetAt(late) === after ? late : early, zone }
}
