import { withQuery } from '../lib/api.ts'

/** The filters of the list of suppressions, as they are in its address. */
export interface Filters {
  broadcastId?: string
  /** The id of a transport; `default` for the configured one. */
  transportId?: string
}

/** The address of the list with these filters. */
export function suppressionsHref(filters: Filters): string {
  return withQuery('/suppressions', { ...filters })
}

/** The filter for the bounces that a transport has found; null for the configured default. */
export function ofTransport(transportId: number | null): Filters {
  return { transportId: transportId === null ? 'default' : String(transportId) }
}
