/**
 * The outcomes of a delivery; `started` until it is known. Without an attempt: `suppressed`, see `Suppressions`;
 * `expired` and `cancelled`, see `Queue`.
 */
export const deliveryOutcomes = [
  'started',
  'accepted',
  'refused',
  'uncertain',
  'suppressed',
  'expired',
  'cancelled',
] as const

export type DeliveryOutcome = (typeof deliveryOutcomes)[number]
