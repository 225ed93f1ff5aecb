import { backOffMs } from '../../kit/back-off.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Log, maskAddresses } from '../../kit/log.ts'

import type { DeliveryResult, TransportLoad } from '../../mailer/index.ts'
import type { OpenTransport } from '../transport-pool.ts'

/** The transport in log lines; the configured default has no id. */
interface TransportName {
  transportId: number | null
  transport: string
}

export interface TransportThrottleOptions {
  clock: Clock
  /** Returns a number from 0 to 1, exclusive. */
  random: () => number
  /** The most messages in flight through one transport; see `Worker`. */
  windowMax: number
  log: Log
}

/**
 * The most messages of broadcasts in flight through one transport in one process. After a kill, at most as many
 * recipients are uncertain.
 */
export const broadcastWindowMax = 60
/** The share of its messages per second that may wait inside a transport. */
const waitingShare = 0.015
const waitingMin = 2
const measureMs = 100
const schedule = { firstMs: 5_000, longestMs: 300_000 }
/** The longest back-off that a server may ask for. */
const longestAskedMs = 3_600_000

/**
 * Limits the messages of broadcasts in flight through one transport in this process. A transport gets no more than it
 * sends in a moment: messages in flight become uncertain if the process is killed, and can be neither paused nor
 * cancelled. A transport that fails backs off, longer each time, and is then tried with one message.
 */
export class TransportThrottle {
  readonly #options: TransportThrottleOptions
  readonly #name: TransportName
  #inFlight = 0
  #reserved = 0
  #ratePerSecond = 0
  #measuredAt = performance.now()
  #settledSince = 0
  #failures = 0
  #unavailableUntil = 0
  #problem: string | undefined

  constructor(options: TransportThrottleOptions, name: TransportName) {
    this.#options = options
    this.#name = name
  }

  /** The end of the back-off; in the past if there is none. */
  get unavailableUntil(): number {
    return this.#unavailableUntil
  }

  /** The last failure, until a message is accepted. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Returns how many messages may be sent now. */
  capacity({ waiting }: TransportLoad): number {
    const { clock, windowMax } = this.#options
    if (this.#unavailableUntil > clock.now()) return 0
    if (this.#failures > 0) return this.#inFlight === 0 ? 1 : 0
    const allowance = Math.max(waitingMin, Math.ceil(this.#ratePerSecond * waitingShare))
    return Math.min(windowMax - this.#inFlight, allowance - waiting - this.#reserved)
  }

  /** Reserves capacity for a message that is about to be sent. */
  reserve(): void {
    this.#inFlight += 1
    this.#reserved += 1
  }

  /** Call it when the message is given to the transport. */
  startSending(): void {
    this.#reserved -= 1
  }

  /** Releases the capacity of a message that is not sent. */
  release(): void {
    this.#inFlight -= 1
    this.#reserved -= 1
  }

  /** Call it when a message that was given to the transport has its outcome. */
  finish(): void {
    this.#inFlight -= 1
    this.#measure()
  }

  /** Starts or ends the back-off after the result of a message. */
  noteResult(result: DeliveryResult): void {
    const { outcome, fault, retryAfterMs } = result
    const { clock, random, log } = this.#options
    const now = clock.now()
    if (isWithdrawn(result)) return
    if (outcome === 'accepted' || fault?.scope !== 'member') {
      if (this.#failures > 0) log.info({ ...this.#name }, 'transport available')
      this.#failures = 0
      this.#problem = undefined
      return
    }
    this.#problem = fault.message
    // Messages in flight together fail together: that is one failure.
    if (this.#unavailableUntil > now) return
    const askedMs = Math.min(retryAfterMs ?? 0, longestAskedMs)
    const waitMs = Math.max(backOffMs(schedule, this.#failures, random()), askedMs)
    this.#failures += 1
    this.#unavailableUntil = Math.ceil(now + waitMs)
    const retryInMs = Math.ceil(waitMs)
    const reason = maskAddresses(fault.message)
    log.info({ ...this.#name, reason, retryInMs }, 'transport unavailable')
  }

  #measure(): void {
    this.#settledSince += 1
    const passedMs = performance.now() - this.#measuredAt
    if (passedMs < measureMs) return
    const justNow = (this.#settledSince / passedMs) * 1_000
    this.#ratePerSecond = (this.#ratePerSecond + justNow) / 2
    this.#measuredAt += passedMs
    this.#settledSince = 0
  }
}

/** Whether this process withdrew the message before a server could take it: that is no attempt. */
export function isWithdrawn({
  outcome,
  fault,
}: Pick<DeliveryResult, 'outcome' | 'fault'>): boolean {
  return outcome === 'refused' && (fault?.code === 'cancelled' || fault?.code === 'lease_expired')
}

/** The throttles of a process, one for each open transport: once its DSN is changed, or it is saved, it starts without back-off. */
export class TransportThrottles {
  readonly #options: TransportThrottleOptions
  readonly #throttles = new WeakMap<
    object,
    { throttle: TransportThrottle; revision: number | undefined }
  >()
  readonly #latest = new Map<number | null, TransportThrottle>()

  constructor(options: TransportThrottleOptions) {
    this.#options = options
  }

  of({
    transport,
    transportId,
    name,
    revision,
  }: Pick<OpenTransport, 'transport' | 'transportId' | 'name' | 'revision'>): TransportThrottle {
    const existing = this.#throttles.get(transport)
    if (existing !== undefined && existing.revision === revision) return existing.throttle
    const throttle = new TransportThrottle(this.#options, { transportId, transport: name })
    this.#throttles.set(transport, { throttle, revision })
    this.#latest.set(transportId, throttle)
    return throttle
  }

  /** Returns the throttle of a transport that was used; null is the default. */
  find(transportId: number | null): TransportThrottle | undefined {
    return this.#latest.get(transportId)
  }
}
