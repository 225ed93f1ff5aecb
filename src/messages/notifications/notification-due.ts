import { readReturnedHead } from './returned-content.ts'

/**
 * What happened to a message for a recipient. `relayed`: a server accepted it that sends no notifications itself.
 * @see RFC 3464, section 2.3.3
 */
export type NotificationAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'

/**
 * The time in which a message has to be delivered.
 * @see RFC 2852
 */
export interface DeliverBy {
  /** Counted from the receipt of the message. Zero or negative if the time has passed; only `notify` may have that. */
  readonly seconds: number
  /**
   * What follows if the message is not delivered in time. `return`: it is not sent any more, and its sender is notified.
   * `notify`: its sender is notified of the delay, and it is sent still.
   */
  readonly mode: 'return' | 'notify'
  /** Whether the sender asks for a notification from each relay (the modifier `T`). */
  readonly isTraced: boolean
}

const reasons = { failed: 'FAILURE', delayed: 'DELAY' } as const

/**
 * Decides whether the sender gets a notification of an event. `notify` is the NOTIFY of the recipient. Without it only
 * failures are notified, and what DELIVERBY asks for: a sender that did not ask for notifications of delays may take
 * them for bounces. Mautic does.
 * @see RFC 3461, section 4.1
 */
export function isNotificationDue(
  action: NotificationAction,
  { notify, deliverBy }: { notify?: string | undefined; deliverBy?: DeliverBy | undefined },
): boolean {
  if (notify === undefined) {
    if (action === 'delayed') return deliverBy?.mode === 'notify'
    if (action === 'relayed') return deliverBy?.isTraced === true
    return action === 'failed'
  }
  const reason = action === 'failed' || action === 'delayed' ? reasons[action] : 'SUCCESS'
  return notify.toUpperCase().split(',').includes(reason)
}

/**
 * Whether the sender of a message may get notifications of it: it is not the null sender, and the message is no notification
 * itself.
 * @see RFC 3461, section 6.2 (never about a notification); RFC 3834, section 2
 */
export function mayBeNotified(sender: string, raw: Uint8Array | undefined): boolean {
  return sender !== '' && (raw === undefined || !readReturnedHead(raw).isReport)
}
