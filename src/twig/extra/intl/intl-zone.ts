import type { DateTime } from '../../dates/date-time.ts'
import { formatOffset } from '../../dates/zone.ts'

/** A date's zone as Intl takes it: its name, or its offset then. */
export function intlZone({ zone, epochMs }: DateTime): string {
  return zone.type === 'named' ? zone.name : formatOffset(zone.offsetAt(epochMs), ':')
}
