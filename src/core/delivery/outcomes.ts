/** What is known of an outcome of a delivery. */
interface OutcomeFacts {
  /** What people read. */
  label: string
  /** What it says of a message, as the end of a sentence. */
  meaning: string
  /** How it is shown: `wait` for what ends without a person, `warn` for what needs one. */
  tone: 'good' | 'wait' | 'warn' | 'bad' | 'neutral'
  /** Whether nothing follows, unless a person decides otherwise. */
  isFinal: boolean
  /** Of a message of a Mautic, whether it is listed as refused, and whether it is a reason to tag the contact. */
  refusal?: { isTagged: boolean }
  /** The type of the event that webhooks get. */
  event?: `delivery.${'accepted' | 'refused' | 'deferred' | 'uncertain'}`
}

/**
 * The table of the outcomes of a delivery, in the order in which they are shown. Another outcome needs a migration that
 * creates the indexes of `deliveries` again: see `addFilterIndexes`.
 */
const table = {
  accepted: {
    label: 'Accepted',
    meaning: 'a server accepted it',
    tone: 'good',
    isFinal: true,
    event: 'delivery.accepted',
  },
  deferred: {
    label: 'Deferred',
    meaning: 'it was refused for now, and may be sent again',
    tone: 'wait',
    isFinal: false,
    event: 'delivery.deferred',
  },
  refused: {
    label: 'Refused',
    meaning: 'a server refused it for good, or it could not be rendered',
    tone: 'bad',
    isFinal: true,
    refusal: { isTagged: true },
    event: 'delivery.refused',
  },
  // What a person cancelled, or what may have arrived, says nothing of the contact.
  uncertain: {
    label: 'Uncertain',
    meaning: 'it may have arrived',
    tone: 'warn',
    isFinal: true,
    refusal: { isTagged: false },
    event: 'delivery.uncertain',
  },
  suppressed: {
    label: 'Suppressed',
    meaning: 'it was withheld, because the address is suppressed',
    tone: 'neutral',
    isFinal: true,
    refusal: { isTagged: true },
  },
  expired: {
    label: 'Expired',
    meaning: 'no server accepted it in time',
    tone: 'bad',
    isFinal: true,
    refusal: { isTagged: true },
    event: 'delivery.refused',
  },
  cancelled: {
    label: 'Cancelled',
    meaning: 'a person cancelled it',
    tone: 'neutral',
    isFinal: true,
    refusal: { isTagged: false },
  },
  started: {
    label: 'In flight',
    meaning: 'its outcome is not known yet',
    tone: 'wait',
    isFinal: false,
  },
} as const satisfies Readonly<Record<string, OutcomeFacts>>

export type DeliveryOutcome = keyof typeof table
export type CountedOutcome = Exclude<DeliveryOutcome, 'started'>
export const outcomes: Readonly<Record<DeliveryOutcome, OutcomeFacts>> = table

export const deliveryOutcomes = Object.keys(table) as DeliveryOutcome[]

/** The outcomes of attempts. */
export const attemptOutcomes = [
  'accepted',
  'deferred',
  'refused',
  'uncertain',
] as const satisfies readonly DeliveryOutcome[]
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** The outcomes that statistics count. */
export const countedOutcomes = deliveryOutcomes.filter((each) => each !== 'started')

/** The outcomes that nothing follows, unless a person decides otherwise. */
export const finalOutcomes = deliveryOutcomes.filter((each) => outcomes[each].isFinal)

/** The outcomes of messages that were not delivered, or perhaps not. */
export const refusalOutcomes = deliveryOutcomes.filter((each) => outcomes[each].refusal)

export function describeOutcomes(): string {
  const meanings = deliveryOutcomes.map((each) => `\`${each}\`: ${outcomes[each].meaning}`)
  return `${meanings.join('; ')}.`
}

/** Returns the outcome of an attempt for a recipient. */
export function outcomeOf({
  outcome,
  isPermanent,
}: {
  outcome: Exclude<AttemptOutcome, 'deferred'>
  isPermanent: boolean
}): AttemptOutcome {
  return outcome === 'refused' && !isPermanent ? 'deferred' : outcome
}
