import { sql } from 'kysely'
import { refusalOutcomes } from './outcomes.ts'

/**
 * Whether a delivery is a refusal of a Mautic's message that was not reported to its Do not contact list as a bounce.
 * The index `deliveries_refusals` has this condition: a query that has it word for word is read from that index.
 */
export const isRefusal = `mautic_id <> 0 and not is_bounced
  and outcome in (${refusalOutcomes.map((each) => `'${each}'`).join(', ')})`

/** See `isRefusal`. */
export const isRefusalOf = (mauticId: number) =>
  sql<boolean>`mautic_id = ${mauticId} and ${sql.raw(isRefusal)}`
