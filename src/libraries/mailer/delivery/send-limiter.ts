import type { Clock } from '../../../kit/clock.ts'
import { Alarm } from '../../../kit/timers.ts'
import { cancelledFault, FaultError } from './fault-error.ts'
import type { TransportLoad } from './transport.ts'

interface SendLimiterOptions {
  /** The maximum number of messages that are sent at the same time. */
  readonly concurrencyMax: number
  /** Null for no limit. The rate is shared by all slots, so more slots do not raise it. */
  readonly maxPerSecond: number | null
  /** In any 60 seconds; null for no limit. */
  readonly maxPerMinute?: number | null
  readonly clock: Clock
}

interface Waiting {
  accept(permit: SendPermit): void
  refuse(error: FaultError): void
}

/** The permit to send one message. It occupies one slot of the limiter. */
export class SendPermit {
  readonly #onSlotFree: () => void
  readonly #onDone: () => void
  #isSlotFree = false

  constructor(onSlotFree: () => void, onDone: () => void) {
    this.#onSlotFree = onSlotFree
    this.#onDone = onDone
  }

  /** Frees the slot for the next message, while this message still waits for its reply. */
  releaseSlot(): void {
    if (this.#isSlotFree) return
    this.#isSlotFree = true
    this.#onSlotFree()
  }

  /** Ends the send and frees the slot. Call it once. */
  release(): void {
    this.#onDone()
    this.releaseSlot()
  }
}

/** Limits how many messages a transport sends at a time and per second. Messages wait in order of arrival. */
export class SendLimiter {
  readonly #concurrencyMax: number
  readonly #bucket: TokenBucket | undefined
  readonly #minute: MinuteWindow | undefined
  readonly #waiting = new Set<Waiting>()
  #slotsTaken = 0
  #sending = 0
  #isClosed = false
  readonly #timer = new Alarm(() => this.#acceptNext())
  readonly #onIdle: (() => void)[] = []

  constructor({ concurrencyMax, maxPerSecond, maxPerMinute = null, clock }: SendLimiterOptions) {
    this.#concurrencyMax = concurrencyMax
    this.#bucket = maxPerSecond === null ? undefined : new TokenBucket(maxPerSecond, clock)
    this.#minute = maxPerMinute === null ? undefined : new MinuteWindow(maxPerMinute, clock)
  }

  /** Whether a message waits for nothing but a free slot. */
  get needsSlot(): boolean {
    return this.#waiting.size > 0 && this.#bucket === undefined && this.#minute === undefined
  }

  /**
   * Waits for a slot and for the rate limit.
   * @throws {FaultError} when it is cancelled or closed.
   */
  acquire(signal?: AbortSignal): Promise<SendPermit> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closedFault())
      if (signal?.aborted) return reject(cancelledTurn())
      const cancel = () => {
        if (!this.#waiting.delete(entry)) return
        if (this.#waiting.size === 0) this.#timer.cancel()
        reject(cancelledTurn())
      }
      const entry: Waiting = {
        accept(permit) {
          signal?.removeEventListener('abort', cancel)
          resolve(permit)
        },
        refuse(error) {
          signal?.removeEventListener('abort', cancel)
          reject(error)
        },
      }
      this.#waiting.add(entry)
      this.#acceptNext()
      if (this.#waiting.has(entry)) signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  /** Refuses all waiting messages, for example when the server cannot be reached. */
  refuseWaiting(error: FaultError): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const entry of waiting) entry.refuse(error)
  }

  load(): Omit<TransportLoad, 'connections'> {
    return { sending: this.#sending, waiting: this.#waiting.size }
  }

  /** Refuses waiting and new messages, and waits for those that are being sent. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer.cancel()
    this.refuseWaiting(closedFault())
    if (this.#sending === 0) return
    await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  readonly #onSlotFree = () => {
    this.#slotsTaken -= 1
    this.#acceptNext()
  }

  readonly #onDone = () => {
    this.#sending -= 1
    if (this.#sending === 0) for (const resolve of this.#onIdle) resolve()
  }

  #acceptNext(): void {
    for (const entry of this.#waiting) {
      if (this.#slotsTaken >= this.#concurrencyMax || this.#timer.isSet) return
      const waitMs = this.#minute?.waitMs() || (this.#bucket?.take() ?? 0)
      if (waitMs > 0) {
        this.#timer.set(waitMs)
        return
      }
      this.#minute?.add()
      this.#waiting.delete(entry)
      this.#slotsTaken += 1
      this.#sending += 1
      entry.accept(new SendPermit(this.#onSlotFree, this.#onDone))
    }
  }
}

export const cancelledTurn = () => cancelledFault('connect', 'while it waited for its turn')

export function closedFault(): FaultError {
  return new FaultError({
    code: 'transport_closed',
    stage: 'connect',
    message: 'The transport is closed.',
  })
}

/** The capacity of a bucket in seconds of the rate; at least one token. */
const burstSeconds = 0.05

/** A token bucket: limits a rate and allows a small burst. */
export class TokenBucket {
  readonly #perSecond: number
  readonly #capacity: number
  readonly #clock: Clock
  #tokens: number
  #filledAt: number

  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond
    this.#capacity = Math.max(1, perSecond * burstSeconds)
    this.#clock = clock
    this.#tokens = this.#capacity
    this.#filledAt = clock.monotonic()
  }

  /** Takes a token. Returns 0, or the milliseconds until the next token when there is none. */
  take(): number {
    const now = this.#clock.monotonic()
    const filled = ((now - this.#filledAt) * this.#perSecond) / 1000
    this.#tokens = Math.min(this.#capacity, this.#tokens + filled)
    this.#filledAt = now
    if (this.#tokens < 1)
      return Math.max(1, Math.ceil(((1 - this.#tokens) * 1000) / this.#perSecond))
    this.#tokens -= 1
    return 0
  }
}

const minuteMs = 60_000

/** Counts the messages of the last 60 seconds. */
class MinuteWindow {
  readonly #max: number
  readonly #clock: Clock
  /** When the last messages were sent, at most `max`: a ring, of which `#next` is the oldest. */
  readonly #times: number[] = []
  #next = 0

  constructor(max: number, clock: Clock) {
    this.#max = max
    this.#clock = clock
  }

  /** Returns 0, or the milliseconds until the next message may be sent. */
  waitMs(): number {
    const oldest = this.#times[this.#next]
    return oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - this.#clock.monotonic())
  }

  add(): void {
    this.#times[this.#next] = this.#clock.monotonic()
    this.#next = (this.#next + 1) % this.#max
  }
}
