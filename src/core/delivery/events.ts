/** What is known of a type of event: what a provider says of a message after it accepted it. */
interface EventFacts {
  /** What people read. */
  label: string
  /** What it says of a message, as the end of a sentence. */
  meaning: string
  /** How it is shown: `wait` for what ends without a person, `warn` for what needs one. */
  tone: 'good' | 'wait' | 'warn' | 'bad' | 'neutral'
  /** Of several events of a delivery, the one with the highest gravity is shown. */
  gravity: number
  /** With which reason it suppresses the address; a bounce only if it is `hard`. */
  suppresses?: 'bounced' | 'complained' | 'unsubscribed'
}

/** The table of the types of events, in the order in which they are shown. */
const table = {
  delivered: {
    label: 'Delivered',
    meaning: "the recipient's server accepted it",
    tone: 'good',
    gravity: 2,
  },
  deferred: {
    label: 'Delayed',
    meaning: "the recipient's server refused it for now, and the provider tries again",
    tone: 'wait',
    gravity: 1,
  },
  bounced: {
    label: 'Bounced',
    meaning: "the recipient's server refused it, or the provider gave it up",
    tone: 'bad',
    gravity: 4,
    suppresses: 'bounced',
  },
  complained: {
    label: 'Complained',
    meaning: 'the recipient reported it as spam',
    tone: 'bad',
    gravity: 6,
    suppresses: 'complained',
  },
  unsubscribed: {
    label: 'Unsubscribed',
    meaning: 'the recipient unsubscribed at the provider',
    tone: 'neutral',
    gravity: 5,
    suppresses: 'unsubscribed',
  },
  rejected: {
    label: 'Rejected',
    meaning: 'the provider did not send it',
    tone: 'bad',
    gravity: 3,
  },
} as const satisfies Readonly<Record<string, EventFacts>>

/** What a provider can say of a message; also an `EventType` of mailer/. */
export type DeliveryEventType = keyof typeof table

export const deliveryEvents: Readonly<Record<DeliveryEventType, EventFacts>> = table

export const deliveryEventTypes = Object.keys(table) as DeliveryEventType[]

/** Returns the gravest of some types of events; undefined without any. */
export function gravestOf(types: Iterable<DeliveryEventType>): DeliveryEventType | undefined {
  const byGravity = [...types].sort(
    (one, other) => deliveryEvents[other].gravity - deliveryEvents[one].gravity,
  )
  return byGravity[0]
}

/** Describes the types of events for the API. */
export function describeEvents(): string {
  const parts = deliveryEventTypes.map((each) => `\`${each}\`: ${deliveryEvents[each].meaning}`)
  return `${parts.join('; ')}.`
}

/** How an event is counted beside the outcomes, which have one of the same name. */
export type CountedEvent = `event:${DeliveryEventType}`

export function countedAs(type: DeliveryEventType): CountedEvent {
  return `event:${type}`
}
