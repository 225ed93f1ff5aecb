import type { DeliveryOutcome } from '../../src/core/delivery/outcomes.ts'
import { type Options, withQuery } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { zoneOffsetMs } from '../words/format.ts'

/** A filter of the list, as it is called in the address and in the API. */
type FilterName = keyof NonNullable<Options<'GET', '/api/deliveries'>['query']>
export type Filters = Partial<Record<FilterName, string>>

export type Outcome = DeliveryOutcome

/** The address of the list with these filters. */
export function deliveriesHref(filters: Filters): string {
  return withQuery('/deliveries', filters)
}

const transportsView = 'multipleTransports:view'
const contactsView = 'contact:view'
const needs: Partial<Record<FilterName, readonly string[]>> = {
  transport: [transportsView],
  transportId: [transportsView],
  member: [transportsView],
  recipient: [contactsView],
  subject: [contactsView],
  contactId: [contactsView],
  search: [transportsView, contactsView],
}

/** Whether the user may filter by this: by what they may not see, they may not. */
export function canFilter(name: string): boolean {
  return (needs[name as FilterName] ?? []).every(can)
}

/** A time in the address as the value of a `datetime-local` control, in the zone that the reader chose. */
export function toLocalTime(iso: string | undefined): string {
  const time = Date.parse(iso ?? '')
  if (Number.isNaN(time)) return ''
  return new Date(time + zoneOffsetMs(time)).toISOString().slice(0, 16)
}

/** The value of a `datetime-local` control as a time in the address. */
export function fromLocalTime(local: string): string {
  const utc = Date.parse(`${local}Z`)
  if (Number.isNaN(utc)) return ''
  // The offset at the time itself: another one applies before a clock change.
  const time = utc - zoneOffsetMs(utc - zoneOffsetMs(utc))
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}
