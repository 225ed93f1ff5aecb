import { CircuitBreaker } from '../../kit/circuit-breaker.ts'
import { type Clock, startStopwatch } from '../../kit/clock.ts'
import { type Log, maskAddresses } from '../../kit/log.ts'
import { every } from '../../kit/timers.ts'
import type { DeliveryResult, TransportLoad } from '../../libraries/mailer/index.ts'
import type { Lane } from './table.ts'
import type { OpenTransport } from './transport-pool.ts'

/** A message that is given to a transport. */
export interface TransportTurn {
  /** Call it when the message is given to the transport, with the time that the log needed to write its start. */
  startSending(startMs: number): void
  /** Call it when the message has its outcome, or is not sent. */
  end(): void
}

/** The transport in log lines; the configured default has no id. */
interface TransportName {
  transportId: number | null
  transport: string
}

/** Whether a transport works for this process. */
export interface TransportState extends TransportName {
  /** Its last failure, until a message is accepted; undefined if it works. */
  problem: string | undefined
  /** When it last failed, and when it last worked; 0 for never. */
  failedAt: number
  availableAt: number
}

export interface TransportThrottleOptions {
  clock: Clock
  /** Returns a number from 0 to 1, exclusive. */
  random: () => number
  log: Log
}

/** The messages that may wait in a transport that has just been opened, or sends slowly. */
const waitingMin = 2
/** What waits in a transport is sent in about this time, besides what the log needs to write a start. */
const waitingMs = 15
/** How many times what may wait in the transport is claimed. */
const claimedFactor = 4
const claimedMin = 10
const measureMs = 100
/** How often waiting messages look whether the transport has become free. */
const lookMs = 50
const pauses = { firstMs: 5_000, longestMs: 300_000 }
/** The longest back-off that a server may ask for. */
const longestAskedMs = 3_600_000

/**
 * Limits the messages that wait in one transport of this process. A transport gets no more than it sends in a moment:
 * messages in flight become uncertain if the process is killed, and can be neither paused nor cancelled. A transport
 * that fails backs off, longer each time, and is then tried with one message.
 */
export class TransportThrottle {
  readonly #options: TransportThrottleOptions
  readonly #name: TransportName
  readonly #load: () => TransportLoad
  /** Messages whose turn has not come, by lane. */
  readonly #waiting = { transactional: [] as (() => void)[], bulk: [] as (() => void)[] }
  #inFlight = 0
  #reserved = 0
  #ratePerSecond = 0
  /** How long the log needs to write a start, on average. */
  #startMs = 0
  #measuringMs = startStopwatch()
  #settledSince = 0
  /** By the id of the transport. */
  readonly #breaker: CircuitBreaker<number | null, string>
  #unavailableUntil = 0
  #failedAt = 0
  #availableAt = 0
  #isStopped = false
  #endLooks: (() => void) | undefined

  constructor(options: TransportThrottleOptions, name: TransportName, load: () => TransportLoad) {
    this.#options = options
    this.#name = name
    this.#load = load
    const { clock, random } = options
    this.#breaker = new CircuitBreaker({ pauses, now: () => clock.now(), random })
  }

  /** The end of the last back-off, in milliseconds since the epoch; what is accepted meanwhile was in flight and does not end it. */
  get unavailableUntil(): number {
    return this.#unavailableUntil
  }

  /** The last failure, until a message is accepted. */
  get problem(): string | undefined {
    return this.#breaker.find(this.#name.transportId)?.problem
  }

  get state(): TransportState {
    return {
      ...this.#name,
      problem: this.problem,
      failedAt: this.#failedAt,
      availableAt: this.#availableAt,
    }
  }

  /** How many messages to claim for it at a time. */
  get window(): number {
    // They are put off, not sent.
    if (this.#isUnavailable) return Number.POSITIVE_INFINITY
    // What its connections are sending does not wait: a slow server gets as many as a fast one.
    return Math.max(claimedMin, claimedFactor * this.#allowance) + this.#load().sending
  }

  /** Waits until the transport takes a message: transactional ones first. Resolves at once while it is not available. */
  async acquire(lane: Lane): Promise<TransportTurn> {
    if (!this.#hasTurn || this.#waiting.transactional.length > 0)
      await new Promise<void>((resolve) => {
        this.#waiting[lane].push(resolve)
        this.#endLooks ??= every(lookMs, () => this.#look())
      })
    return this.#take()
  }

  #take(): TransportTurn {
    let state: 'reserved' | 'sending' | 'ended' = 'reserved'
    this.#inFlight += 1
    this.#reserved += 1
    return {
      startSending: (startMs) => {
        if (state !== 'reserved') return
        state = 'sending'
        this.#reserved -= 1
        this.#startMs += (startMs - this.#startMs) / 8
        this.#giveTurns()
      },
      end: () => {
        if (state === 'ended') return
        if (state === 'sending') this.#measure()
        else this.#reserved -= 1
        state = 'ended'
        this.#inFlight -= 1
        this.#giveTurns()
      },
    }
  }

  /** Whether no message is sent, or waits for its turn. */
  get isIdle(): boolean {
    return this.#inFlight + this.#waiting.transactional.length + this.#waiting.bulk.length === 0
  }

  /** Ends all waiting: this process stops. */
  stop(): void {
    this.#isStopped = true
    this.#giveTurns()
  }

  /** Messages without a turn, which a client waits for, leave the transport without an event. */
  #look(): void {
    this.#giveTurns()
    if (this.#waiting.transactional.length + this.#waiting.bulk.length > 0) return
    this.#endLooks?.()
    this.#endLooks = undefined
  }

  #giveTurns(): void {
    const { transactional, bulk } = this.#waiting
    // Each that gets its turn reserves it a moment later.
    let given = 0
    while (transactional.length + bulk.length > 0 && this.#capacity - given > 0) {
      const next = transactional.shift() ?? bulk.shift()
      next?.()
      given += 1
    }
  }

  get #hasTurn(): boolean {
    return this.#capacity > 0
  }

  /** How many more messages may be sent now. */
  get #capacity(): number {
    if (this.#isStopped || this.#isUnavailable) return Number.POSITIVE_INFINITY
    if (this.problem !== undefined) return this.#inFlight === 0 ? 1 : 0
    return this.#allowance - this.#load().waiting - this.#reserved
  }

  get #isUnavailable(): boolean {
    return this.#unavailableUntil > this.#options.clock.now()
  }

  get #allowance(): number {
    const seconds = (waitingMs + 1.5 * this.#startMs) / 1_000
    return Math.max(waitingMin, Math.ceil(this.#ratePerSecond * seconds))
  }

  /** Starts or ends the back-off after the result of a message. */
  noteResult(result: DeliveryResult): void {
    this.#note(result)
    this.#giveTurns()
  }

  #note(result: DeliveryResult): void {
    const { outcome, fault, retryAfterMs } = result
    const { clock, log } = this.#options
    const { transportId } = this.#name
    if (isWithdrawn(result) || isGuarded(result)) return
    if (outcome === 'accepted' || fault?.scope !== 'member') {
      if (this.#breaker.pass(transportId)) log.info({ ...this.#name }, 'transport available')
      this.#availableAt = clock.now()
      return
    }
    // Messages in flight together fail together: that is one failure, also where another one of them was accepted.
    const isBackingOff = this.#isUnavailable
    const askedMs = Math.min(retryAfterMs ?? 0, longestAskedMs)
    const adjust = (pauseMs: number) => Math.max(isBackingOff ? 0 : pauseMs, askedMs)
    const retryInMs = this.#breaker.fail(transportId, fault.message, adjust)
    const pausedUntil = this.#breaker.pausedUntil(transportId)
    this.#unavailableUntil = Math.max(this.#unavailableUntil, pausedUntil)
    if (isBackingOff) return
    this.#failedAt = clock.now()
    const reason = maskAddresses(fault.message)
    log.info({ ...this.#name, reason, retryInMs }, 'transport unavailable')
  }

  #measure(): void {
    this.#settledSince += 1
    const passedMs = this.#measuringMs()
    if (passedMs < measureMs) return
    const justNow = (this.#settledSince / passedMs) * 1_000
    this.#ratePerSecond = (this.#ratePerSecond + justNow) / 2
    this.#measuringMs = startStopwatch()
    this.#settledSince = 0
  }
}

/** Whether this process withdrew the message before a server could take it: that is no attempt. */
export function isWithdrawn({ outcome, fault }: DeliveryResult): boolean {
  return outcome === 'refused' && (fault?.code === 'cancelled' || fault?.code === 'lease_expired')
}

/** Whether the guard allows none of the recipients: the result says nothing of the transport. */
export function isGuarded({ recipients }: DeliveryResult): boolean {
  return recipients.length > 0 && recipients.every(({ guarded }) => guarded !== undefined)
}

/** The throttles of a process, one for each open transport: once its DSN is changed, or it is saved, it starts without back-off. */
export class TransportThrottles {
  readonly #options: TransportThrottleOptions
  readonly #throttles = new WeakMap<
    object,
    { throttle: TransportThrottle; revision: number | undefined }
  >()
  readonly #latest = new Map<number | null, TransportThrottle>()
  #isStopped = false

  constructor(options: TransportThrottleOptions) {
    this.#options = options
  }

  of(open: Pick<OpenTransport, 'transport' | 'transportId' | 'name' | 'revision'>) {
    const { transport, transportId, name, revision } = open
    const existing = this.#throttles.get(transport)
    // A late result has an older revision.
    if (existing !== undefined && (existing.revision ?? 0) >= (revision ?? 0))
      return existing.throttle
    const throttle = new TransportThrottle(this.#options, { transportId, transport: name }, () =>
      transport.load(),
    )
    this.#throttles.set(transport, { throttle, revision })
    this.#latest.set(transportId, throttle)
    return throttle
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Ends all waiting: this process stops. */
  stop(): void {
    this.#isStopped = true
    for (const throttle of this.#latest.values()) throttle.stop()
  }

  /** Returns the states of the transports that were used. */
  list(): TransportState[] {
    return [...this.#latest.values()].map(({ state }) => state)
  }

  /** Forgets a transport that was deleted, unless messages are in flight: whether it did. */
  forget(transportId: number): boolean {
    return this.find(transportId)?.isIdle === true && this.#latest.delete(transportId)
  }

  /** Returns the throttle of a transport that was used; null is the default. */
  find(transportId: number | null): TransportThrottle | undefined {
    return this.#latest.get(transportId)
  }
}
