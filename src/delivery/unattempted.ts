import type { DeliveryRow } from './table.ts'

/** The outcome of a delivery that was given to no transport: suppressed, expired, cancelled, or refused while rendering. */
export type UnattemptedDelivery = Pick<DeliveryRow, 'source' | 'outcome'>

/** Called when such an outcome was written, for the metrics. It must not throw. */
export type OnUnattempted = ((delivery: UnattemptedDelivery) => void) | undefined
