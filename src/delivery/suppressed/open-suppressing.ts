import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { Suppressions } from '../../suppressions/index.ts'
import type { Deliver } from '../deliver.ts'
import type { DeliveryLog } from '../log/delivery-log.ts'
import type { OnUnattempted } from '../unattempted.ts'
import { type BounceRecorder, bouncedAddresses, openBounceRecorder } from './bounces.ts'
import { withholdSuppressed } from './withhold-suppressed.ts'

export interface SuppressingOptions {
  suppressions: Pick<Suppressions, 'findSuppressions' | 'add'>
  /** Whether an address that a server does not know is suppressed. */
  suppressBounces: boolean
  rememberRefusalsMs: number
  onUnattempted?: OnUnattempted
  deliveryLog: DeliveryLog
  clock: Clock
  log: Log
}

/** What deliveries do with suppressions: withhold messages, and suppress addresses that bounce. */
export interface Suppressing {
  /** See `withholdSuppressed`. */
  wrap: (send: Deliver) => Deliver
  /** Undefined where bounces are not suppressed. */
  bounces: BounceRecorder | undefined
  /** Returns the recipients of a result who are suppressed because of it. */
  suppressedBy: (result: DeliveryResult) => readonly string[]
}

export function openSuppressing(options: SuppressingOptions): Suppressing {
  const { suppressions, rememberRefusalsMs: repeatMs } = options
  const { findSuppressions } = suppressions
  const bounces = openBounceRecorder(options)
  return {
    wrap: (send) => withholdSuppressed(send, { ...options, findSuppressions, repeatMs }),
    bounces,
    suppressedBy: bounces === undefined ? () => [] : bouncedAddresses,
  }
}
