import { sql } from 'kysely'

/**
 * Whether a delivery is a refusal of a Mautic's message that was not reported to its Do not contact list as a bounce.
 * The index `deliveries_refusals` of a released migration has this condition, so it never changes. A query that has it word
 * for word is read from that index. Its outcomes are `refusalOutcomes`.
 */
export const isRefusal = `mautic_id <> 0 and not is_bounced
  and (outcome in ('expired', 'suppressed', 'cancelled', 'uncertain') or (outcome = 'refused' and is_permanent))`

/** See `isRefusal`. */
export const isRefusalOf = (mauticId: number) =>
  sql<boolean>`mautic_id = ${mauticId} and ${sql.raw(isRefusal)}`
