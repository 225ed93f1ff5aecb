/** What a brake holds bulk messages for. */
export const brakeKinds = ['refusals', 'bounces', 'complaints'] as const
export type BrakeKind = (typeof brakeKinds)[number]

/** More refusals or events than a brake allows among the newest messages. */
export interface BrakeReason {
  kind: BrakeKind
  /** How many were looked at: the attempted ones for `refusals`, else the accepted ones. */
  messages: number
  /** How many of them were refused for good, bounced or were complained about. */
  affected: number
}

/** A message that a server accepted or refused for good, and what its provider reported of it later. */
export interface FinishedMessage {
  /** In milliseconds since the epoch. */
  startedAt: number
  isRefused: boolean
  /** For now or for good. */
  isBounced: boolean
  isComplained: boolean
}

/** The smallest window; each further one is twice as long. Fewer accepted messages prove nothing. */
const windowMin = 200
/** Fewer attempts prove nothing. */
const attemptsMin = 50
const refusedRateMax = 0.2
const allowedRates = { complaints: 0.003, bounces: 0.05 } as const
/**
 * How probable the events of a window may be at the allowed rate: then the lower bound of the rate, with a confidence of
 * 99.9 %, is above what is allowed.
 */
const chanceMax = 0.001
const dayMs = 86_400_000

/**
 * Counts the messages of a group, the newest first, in windows: the last 200, 400, 800 and so on, up to all of the 24 hours
 * before the newest one. Of accepted messages, 200 count however old they are.
 */
export class BrakeWindows {
  #newestAt: number | undefined
  #attempted = 0
  #accepted = 0
  readonly #affected: Record<BrakeKind, number> = { refusals: 0, bounces: 0, complaints: 0 }

  /** Whether a message that is older than those before still counts. */
  counts(startedAt: number): boolean {
    return this.#isOfDay(startedAt) || this.#accepted < windowMin
  }

  /** Adds the next older message; returns what is too much in a window that ends with it. */
  add({ startedAt, isRefused, isBounced, isComplained }: FinishedMessage): BrakeReason | undefined {
    this.#newestAt ??= startedAt
    const isOfDay = this.#isOfDay(startedAt)
    if (isOfDay) this.#attempted += 1
    if (isOfDay && isRefused) this.#affected.refusals += 1
    if (!isRefused) this.#accepted += 1
    if (isBounced) this.#affected.bounces += 1
    if (isComplained) this.#affected.complaints += 1
    const reason = isOfDay && isWindow(this.#attempted) ? this.#judgeRefusals() : undefined
    return reason ?? (!isRefused && isWindow(this.#accepted) ? this.#judgeEvents() : undefined)
  }

  /** Returns what is too much among all that were added. */
  end(): BrakeReason | undefined {
    return this.#judgeRefusals() ?? this.#judgeEvents()
  }

  #isOfDay(startedAt: number): boolean {
    return this.#newestAt === undefined || startedAt > this.#newestAt - dayMs
  }

  #judgeRefusals(): BrakeReason | undefined {
    const [messages, affected] = [this.#attempted, this.#affected.refusals]
    const isTooMuch = messages >= attemptsMin && affected >= messages * refusedRateMax
    return isTooMuch ? { kind: 'refusals', messages, affected } : undefined
  }

  #judgeEvents(): BrakeReason | undefined {
    const messages = this.#accepted
    if (messages < windowMin) return undefined
    for (const kind of ['complaints', 'bounces'] as const) {
      const affected = this.#affected[kind]
      const rate = allowedRates[kind]
      if (affected > messages * rate && chanceOf(affected, messages, rate) < chanceMax)
        return { kind, messages, affected }
    }
    return undefined
  }
}

function isWindow(messages: number): boolean {
  return messages >= windowMin && Number.isInteger(Math.log2(messages / windowMin))
}

/**
 * Returns the probability of `events` or more among `messages` of which each has one at this rate: the binomial tail. It adds
 * logarithms, because the probability of none among many is below the smallest number.
 */
export function chanceOf(events: number, messages: number, rate: number): number {
  let logarithm = messages * Math.log1p(-rate)
  let fewer = 0
  for (let count = 0; count < events; count += 1) {
    fewer += Math.exp(logarithm)
    logarithm += Math.log(((messages - count) / (count + 1)) * (rate / (1 - rate)))
  }
  return Math.max(0, 1 - fewer)
}

const happened: Record<BrakeKind, string> = {
  refusals: 'attempts were refused for good',
  bounces: 'accepted messages bounced',
  complaints: 'accepted messages were complained about',
}

/** Says why messages are held: `83 of the last 800 accepted messages bounced (10.4 %).` */
export function describeReason({ kind, messages, affected }: BrakeReason): string {
  const percent = Math.round((1_000 * affected) / messages) / 10
  return `${affected} of the last ${messages.toLocaleString('en-US')} ${happened[kind]} (${percent} %).`
}
