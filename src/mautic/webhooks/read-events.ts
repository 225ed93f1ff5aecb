import { checkJsonSize } from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { asCount, asList, asObject, asText, asTime } from '../client/read-answer.ts'
import { contactAddress, isAddress } from '../contact-address.ts'
import type { MauticSend } from '../find/find-sends.ts'

/** The events that a webhook of Mautic has to send. */
export const webhookEvents = {
  sent: 'mautic.email_on_send',
  subscription: 'mautic.lead_channel_subscription_changed',
} as const

/** A message that Mautic is about to send. */
export interface SentEvent {
  send: MauticSend
  /** The contact as the webhook shows it. */
  contact: unknown
}

/** A change of Mautic's Do not contact list for email. */
export interface SubscriptionEvent {
  contactId: number | null
  address: string
  status: 'contactable' | 'unsubscribed' | 'bounced' | 'manual'
  /** When it changed, in milliseconds since the epoch. */
  at: number
}

/** What a webhook says, as far as Mailyard uses it. */
export interface WebhookEvents {
  sent: SentEvent[]
  subscriptions: SubscriptionEvent[]
}

/**
 * Reads the body of a webhook. Events of other kinds are left out. Throws an AppError (`invalid`, `too_large`) for what is no
 * JSON, or has too many values.
 */
export function readEvents(body: Buffer): WebhookEvents {
  checkJsonSize(body)
  const json = parse(body)
  return {
    sent: asList(json[webhookEvents.sent]).flatMap((event) => readSent(event) ?? []),
    subscriptions: asList(json[webhookEvents.subscription]).flatMap(
      (event) => readSubscription(event) ?? [],
    ),
  }
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(body.toString('utf8')))
  } catch {
    throw new AppError('invalid', 'webhook_malformed', 'The body is not JSON.')
  }
}

function readSent(value: unknown): SentEvent | undefined {
  const event = asObject(value)
  const { contact } = event
  const { id, email } = asObject(contact)
  const hash = asText(event['idHash'])
  const address = asText(email).trim()
  if (hash === '' || !isAddress(address)) return undefined
  const emailId = asCount(asObject(event['email'])['id']) ?? null
  return { send: { hash, emailId, contactId: asCount(id) ?? null, address }, contact }
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
