import { AppError } from '../../../kit/app-error.ts'
import { checkJsonSize } from '../../../platform/http/index.ts'
import { asCount, asList, asObject, asTime } from '../../mautic-client/index.ts'
import { contactAddress, isAddress } from '../contact-address.ts'

/** The event that a webhook of Mautic has to send. */
export const subscriptionEvent = 'mautic.lead_channel_subscription_changed'

/** A change of Mautic's Do not contact list for email. */
export interface SubscriptionEvent {
  contactId: number | null
  address: string
  status: 'contactable' | 'unsubscribed' | 'bounced' | 'manual'
  /** When it changed, in milliseconds since the epoch. */
  at: number
}

/**
 * Reads the body of a webhook. Events of other kinds are left out. Throws an AppError (`invalid`, `too_large`) for what is no
 * JSON, or has too many values.
 */
export function readEvents(body: Buffer): SubscriptionEvent[] {
  checkJsonSize(body)
  return asList(parse(body)[subscriptionEvent]).flatMap((event) => readSubscription(event) ?? [])
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(body.toString('utf8')))
  } catch {
    throw new AppError('invalid', 'webhook_malformed', 'The body is not JSON.')
  }
}

const statuses = ['contactable', 'unsubscribed', 'bounced', 'manual'] as const

function readSubscription(value: unknown): SubscriptionEvent | undefined {
  const event = asObject(value)
  const contact = asObject(event['contact'])
  const address = contactAddress(contact)
  const status = statuses.find((each) => each === event['new_status'])
  const at = asTime(event['timestamp'])
  if (event['channel'] !== 'email' || status === undefined || at === null) return undefined
  if (!isAddress(address)) return undefined
  return { contactId: asCount(contact['id']) ?? null, address, status, at }
}
