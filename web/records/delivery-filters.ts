import type { DeliveryOutcome } from '../../src/core/delivery/outcomes.ts'
import { type Options, withQuery } from '../lib/api.ts'
import { can } from '../lib/session.ts'

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
