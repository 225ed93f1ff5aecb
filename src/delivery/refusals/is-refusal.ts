import { sql } from 'kysely'
import type { DeliveryOutcome } from '../outcomes.ts'

/** The outcomes of messages that a Mautic takes for sent and that were not delivered, or perhaps not. */
export const refusalOutcomes = [
  'refused',
  'expired',
  'suppressed',
  'cancelled',
  'uncertain',
] as const satisfies readonly DeliveryOutcome[]
export type RefusalOutcome = (typeof refusalOutcomes)[number]

/**
 * Whether a delivery is a refusal of a Mautic's message that is no bounce: bounces are reported to its Do not contact list.
 * The index `deliveries_refusals` has this condition. A query that has it word for word is read from that index.
 */
export const isRefusal = `mautic_id <> 0 and not is_bounced
  and (outcome in ('expired', 'suppressed', 'cancelled', 'uncertain') or (outcome = 'refused' and is_permanent))`

/** See `isRefusal`. */
export const isRefusalOf = (mauticId: number) =>
  sql<boolean>`mautic_id = ${mauticId} and ${sql.raw(isRefusal)}`
