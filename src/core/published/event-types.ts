import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'

/** What is known of a type of event that webhooks can ask for. */
interface EventTypeFacts {
  /** What people read. */
  label: string
  /** When it is sent, as a sentence. */
  meaning: string
  /** The members of `data`, and what each of them is. Members that do not apply are null or left out. */
  data: Readonly<Record<string, string>>
}

const delivery = {
  deliveryId: 'The id of the delivery.',
  recipient: 'The address of the recipient.',
  sender: 'The address in From.',
  source: 'How it was submitted: `api` or `smtp`.',
  transportId: 'The id of the transport; null for the default and for none.',
  transport: 'The name that the transport had.',
  emailId: 'The id of the email.',
  contactId: 'The id of the contact.',
  mautic: 'The id of the Mautic whose message it was; null for Mailyard itself.',
  outcome: 'The outcome: also `expired` for `delivery.refused`.',
  reply: 'The last reply of the server.',
  reason: 'Why, in a sentence.',
  messageId: 'The Message-ID.',
  providerId: 'The id that the server gave to the message.',
}

const deliveryEvent = {
  ...delivery,
  class: 'For a bounce: `hard` or `soft`.',
  provider: 'The mail provider that reported it.',
  date: 'When it happened.',
}

const transport = {
  transportId: 'The id of the transport; null for the default.',
  transport: 'The name of the transport.',
  message: 'What happened and what to do, as a sentence.',
}

/** The types of events, in the order in which they are shown. Each begins with the name of what it is about. */
const table = {
  'delivery.accepted': {
    label: 'Delivery accepted',
    meaning: 'A server accepted a message for a recipient.',
    data: delivery,
  },
  'delivery.refused': {
    label: 'Delivery refused',
    meaning: 'A message was refused for good, or could not be sent in time.',
    data: delivery,
  },
  'delivery.deferred': {
    label: 'Delivery deferred',
    meaning: 'A message was refused for now, and may be sent again.',
    data: delivery,
  },
  'delivery.uncertain': {
    label: 'Delivery uncertain',
    meaning: 'It is not known whether a server accepted a message: a person decides.',
    data: delivery,
  },
  'delivery.bounced': {
    label: 'Delivery bounced',
    meaning: 'A provider reported that an accepted message could not be delivered.',
    data: deliveryEvent,
  },
  'delivery.complained': {
    label: 'Delivery complained about',
    meaning: 'A recipient marked a message as spam.',
    data: deliveryEvent,
  },
  'suppression.created': {
    label: 'Suppression created',
    meaning: 'An address was suppressed: it gets no more messages, or none from one sender domain.',
    data: {
      address: 'The address.',
      reason: '`bounced`, `complained`, `unsubscribed` or `manual`.',
      senderDomain: 'The sender domain that it applies to; null for all.',
      source: 'What added it.',
    },
  },
  'transport.down': {
    label: 'Transport down',
    meaning: 'A transport does not work: its messages wait, or take the next one.',
    data: transport,
  },
  'transport.up': {
    label: 'Transport up',
    meaning: 'A transport works again.',
    data: transport,
  },
  'limit.reached': {
    label: 'Limit reached',
    meaning: 'Nothing is left of a limit: messages wait, or are refused.',
    data: {
      limitId: 'The id of the limit.',
      limit: 'The name of the limit.',
      window: '`second`, `minute`, `hour`, `day` or `month`.',
      freeAt: 'When more is free.',
      message: transport.message,
    },
  },
  'budget.near': {
    label: 'Budget nearly used',
    meaning: '80 % of the budget of a brand for a day or a month is used.',
    data: {
      limitId: 'The id of the budget: it is a limit.',
      limit: 'The name of the budget.',
      brand: 'The id of the brand.',
      window: '`day` or `month`.',
      used: 'How many recipients it was used for.',
      max: 'How many it allows.',
      freeAt: 'When the day or the month is over.',
      message: transport.message,
    },
  },
  'brake.applied': {
    label: 'Brake applied',
    meaning: 'Bulk messages are held because too many were refused, bounced or complained about.',
    data: {
      brakeId: 'The id of the brake.',
      senderDomain: 'The domain of the sender.',
      transportId: transport.transportId,
      transport: transport.transport,
      message: transport.message,
    },
  },
  'queue.delayed': {
    label: 'Queue delayed',
    meaning: 'Messages wait in the queue for longer than they should.',
    data: {
      waiting: 'How many recipients wait.',
      oldestAt: 'Since when the oldest waits.',
      message: transport.message,
    },
  },
  'dkim.missing': {
    label: 'DKIM record missing',
    meaning:
      'The DNS record of a DKIM key is gone or wrong: receivers cannot verify signatures of its domain.',
    data: {
      dkimKeyId: 'The id of the DKIM key.',
      domain: 'The domain whose messages it signed.',
      selector: 'The selector of the key.',
      problem: 'What the look-up found.',
      message: transport.message,
    },
  },
  'mautic.unreachable': {
    label: 'Mautic unreachable',
    meaning: 'A connected Mautic does not answer.',
    data: {
      mauticId: 'The id of the Mautic.',
      mautic: 'The name of the Mautic.',
      message: transport.message,
    },
  },
  'webhook.dead': {
    label: 'Webhook dead',
    meaning:
      'Another webhook is not called any more: its receiver failed for three days, or answered 410.',
    data: {
      webhookId: 'The id of the webhook.',
      webhook: 'The name of the webhook.',
      problem: 'Why its receiver failed.',
      message: transport.message,
    },
  },
} as const satisfies Readonly<Record<string, EventTypeFacts>>

/** A type of event that webhooks can ask for. */
export type EventType = keyof typeof table

export const eventTypes: Readonly<Record<EventType, EventTypeFacts>> = table

export const eventTypeNames = Object.keys(table) as EventType[]

/** The type of the message that a test sends. No webhook asks for it. */
export const testType = 'webhook.test'

/** What the same data needs elsewhere in the API, by what types are about. The others need `api:view` alone. */
const permissions: Readonly<Record<string, readonly string[]>> = {
  delivery: ['email:view', 'contact:view'],
  suppression: ['contact:view'],
  transport: ['multipleTransports:view'],
  limit: ['multipleTransports:view'],
  dkim: ['multipleTransports:view'],
  brake: ['queue:view'],
  queue: ['queue:view'],
}

/** Returns the permissions that a caller lacks to see events of these types. */
export function findMissing(types: readonly string[], caller: Pick<Caller, 'can'>): string[] {
  const needed = types.flatMap((type) => permissions[type.split('.', 1)[0] ?? ''] ?? [])
  return [...new Set(needed)].filter((permission) => !caller.can(permission))
}

/** Throws an AppError (`forbidden`) where a caller may not see events of one of these types. */
export function checkVisible(types: readonly string[], caller: Pick<Caller, 'can'>): void {
  const missing = findMissing(types, caller)
  if (missing.length === 0) return
  const message = `The webhook shows ${types.filter((type) => findMissing([type], caller).length > 0).join(', ')}. Your role lacks ${missing.join(', ')}.`
  throw new AppError('forbidden', 'event_types_forbidden', message)
}

export function describeEventTypes(): string {
  return eventTypeNames.map((type) => `\`${type}\`: ${eventTypes[type].meaning}`).join(' ')
}

/** Describes the members of `data` for the API. Types that have the same ones are described together. */
export function describeEventData(): string {
  const groups = Map.groupBy(eventTypeNames, (type) => eventTypes[type].data)
  const lines = [...groups].map(([data, types]) => {
    const members = Object.entries(data).map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    return `- ${types.map((type) => `\`${type}\``).join(', ')}. ${members.join(' ')}`
  })
  lines.unshift('- All. `brand`: The id of the brand that it is about; left out for none.')
  return lines.join('\n')
}
