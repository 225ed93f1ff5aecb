import { formatDate } from '../../kit/iso-date.ts'
import type { Suppression, SuppressionReason } from '../suppressions/index.ts'

/** A recipient who was not sent a message because the address is suppressed. */
export interface SuppressedRecipient {
  address: string
  suppression: Suppression
  /** See `describeSuppression`. */
  reason: string
}

const why: Record<SuppressionReason, string> = {
  unsubscribed: 'the recipient has unsubscribed',
  bounced: 'the address does not exist',
  complained: 'the recipient has reported an email as spam',
  manual: 'a person has added it',
}

/**
 * Says why an address gets no message and what to do: `The address ann@example.com is suppressed for senders of
 * example.com since 2026-01-31: the recipient has unsubscribed. Delete suppression 12 to send to it again.`
 */
export function describeSuppression(suppression: Suppression): string {
  const { id, address, sender_domain: domain, reason, date_added: since } = suppression
  const scope = domain === null ? '' : ` for senders of ${domain}`
  const date = formatDate(since).slice(0, 10)
  return `The address ${address} is suppressed${scope} since ${date}: ${why[reason]}. Delete suppression ${id} to send to it again.`
}
