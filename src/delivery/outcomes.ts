/**
 * `started` until the outcome is known. Without an attempt: `suppressed`, see `Suppressions`; `expired` and `cancelled`, see
 * `Queue`.
 */
export type DeliveryOutcome =
  | 'accepted'
  | 'refused'
  | 'expired'
  | 'suppressed'
  | 'cancelled'
  | 'uncertain'
  | 'started'

/** What is known of an outcome. */
interface OutcomeFacts {
  /** What people read. */
  label: string
  /** What it says of a refused message of a Mautic; undefined where it is no refusal. See `isRefusal`. */
  refusal?: { meaning: string; isTagged: boolean }
}

/** The table of the outcomes of a delivery. */
export const outcomes: Readonly<Record<DeliveryOutcome, OutcomeFacts>> = {
  accepted: { label: 'Accepted' },
  refused: {
    label: 'Refused',
    refusal: {
      meaning: 'a server refused it for good, or it could not be rendered',
      isTagged: true,
    },
  },
  expired: {
    label: 'Expired',
    refusal: { meaning: 'no server accepted it in time', isTagged: true },
  },
  suppressed: {
    label: 'Suppressed',
    refusal: { meaning: 'it was withheld, because the address is suppressed', isTagged: true },
  },
  // What a person cancelled, or what may have arrived, says nothing of the contact.
  cancelled: {
    label: 'Cancelled',
    refusal: { meaning: 'a person cancelled it', isTagged: false },
  },
  uncertain: {
    label: 'Uncertain',
    refusal: { meaning: 'it may have arrived', isTagged: false },
  },
  started: { label: 'In flight' },
}

export const deliveryOutcomes = Object.keys(outcomes) as DeliveryOutcome[]

/** The outcomes of messages that were not delivered, or perhaps not. */
export const refusalOutcomes = deliveryOutcomes.filter((each) => outcomes[each].refusal)
