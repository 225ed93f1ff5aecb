/** Which events a brake counts. */
export type EventKind = 'bounces' | 'complaints'

/** What a provider has reported of an accepted message. */
export interface AcceptedEvents {
  /** For now or for good. */
  isBounced: boolean
  isComplained: boolean
}

/** More events than a brake allows among the last accepted messages. */
export interface EventExcess {
  kind: EventKind
  /** The accepted messages that were looked at: the newest. */
  accepted: number
  /** How many of them have such an event. */
  events: number
}

/** The accepted messages that count, at most. */
export const acceptedMax = 1_000
/** Windows are multiples of it: a fault that begins late is found within one step. */
const windowStep = 200
/** The rates that are allowed. */
const allowedRates: Record<EventKind, number> = { complaints: 0.003, bounces: 0.05 }
/**
 * How probable the events of a window may be at the allowed rate: then the lower bound of the rate, with a confidence of
 * 99.9 %, is above what is allowed. Simulated: see event-rate.test.ts.
 */
const chanceMax = 0.001

const limits = Object.entries(allowedRates).map(([kind, rate]) => ({
  kind: kind as EventKind,
  leastByWindow: Array.from({ length: acceptedMax / windowStep }, (_, index) =>
    leastEvents((index + 1) * windowStep, rate),
  ),
}))

/**
 * Returns what is above the allowed rate among the last accepted messages: in the last 200, 400 and so on. Fewer than 200 are
 * not enough.
 *
 * @param newestFirst Those after the first thousand do not count.
 */
export function findExcess(newestFirst: readonly AcceptedEvents[]): EventExcess | undefined {
  const counts: Record<EventKind, number> = { bounces: 0, complaints: 0 }
  for (const [index, { isBounced, isComplained }] of newestFirst.slice(0, acceptedMax).entries()) {
    if (isBounced) counts.bounces += 1
    if (isComplained) counts.complaints += 1
    const accepted = index + 1
    if (accepted % windowStep !== 0) continue
    for (const { kind, leastByWindow } of limits) {
      const least = leastByWindow[accepted / windowStep - 1] ?? Number.POSITIVE_INFINITY
      if (counts[kind] >= least) return { kind, accepted, events: counts[kind] }
    }
  }
  return undefined
}

/** Returns the probability of `events` or more among `accepted` messages of which each has one at this rate: the exact binomial tail. */
export function chanceOf(events: number, accepted: number, rate: number): number {
  let ofCount = (1 - rate) ** accepted
  let fewer = 0
  for (let count = 0; count < events; count += 1) {
    fewer += ofCount
    ofCount *= ((accepted - count) / (count + 1)) * (rate / (1 - rate))
  }
  return Math.max(0, 1 - fewer)
}

/** Returns the least count of events that is above the allowed rate. */
function leastEvents(accepted: number, rate: number): number {
  for (let events = 1; ; events += 1)
    if (chanceOf(events, accepted, rate) < chanceMax) return events
}
