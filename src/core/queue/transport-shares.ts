import { Alarm } from '../../kit/timers.ts'
import type {
  Lane,
  OpenTransport,
  TransportThrottle,
  TransportThrottles,
  TransportTurn,
} from '../delivery/index.ts'
import { defaultTransport, noTransport } from '../delivery/index.ts'

/** The most messages that one process sends at a time. */
const inFlightMax = 200
/** The most through one transport. */
const perTransportMax = 60
/** The most through one that this process has not used yet. */
const firstMax = 10
/** A share is filled again when a sixth of it is free: a claim of many costs little more than a claim of one. */
const refilledPart = 1 / 6
/** A first attempt that takes longer leaves its place among the first attempts to another message. */
const firstAttemptMs = 2_000

/**
 * Divides the messages that one process sends at a time between the transports, by `transport_id`. A transport gets no
 * more than it leaves to the others, so several that do not answer leave capacity too; and no more are claimed for it than it
 * sends in a moment (see `TransportThrottle`), because what waits in a transport can be neither held nor cancelled.
 *
 * First attempts, and those after the answer of a Mautic, whose transport is not known before the claim, have a separate
 * share. A message counts there until it ends, for two seconds at most once its route is chosen. Without this time, first attempts for a fast transport would
 * be claimed although it has its share, and be written back for nothing.
 */
export class TransportShares {
  readonly #throttles: TransportThrottles
  readonly #onFree: () => void
  readonly #byTransport = new Map<number, number>()
  #total = 0

  /** `onFree` is called when a message has left a share. */
  constructor(throttles: TransportThrottles, onFree: () => void) {
    this.#throttles = throttles
    this.#onFree = onFree
  }

  /** Whether half of all places are free. */
  get isHalfFree(): boolean {
    return this.#total < inFlightMax / 2
  }

  /** Returns how many messages to claim for a transport now. */
  claimable(claimedFor: number): number {
    const transportId = Math.max(claimedFor, noTransport)
    const taken = this.#countOf(transportId)
    const free = this.#freeFor(transportId, inFlightMax - this.#total)
    const more = Math.min(free, this.#windowOf(transportId) - taken)
    return more >= (taken + more) * refilledPart ? Math.max(0, more) : 0
  }

  #windowOf(transportId: number): number {
    if (transportId === noTransport) return perTransportMax
    const throttle = this.#throttles.find(transportId === defaultTransport ? null : transportId)
    return throttle?.window ?? firstMax
  }

  /** Takes the place of a message that is about to be sent; `claimedFor` is undefined if it was not claimed. */
  take(claimedFor?: number): Place {
    this.#total += 1
    const place = new Place(this)
    if (claimedFor !== undefined) place.count(Math.max(claimedFor, noTransport))
    return place
  }

  /** Whether a transport has its share, for a message that has a place already. */
  isFull(transportId: number): boolean {
    return this.#freeFor(transportId, inFlightMax - this.#total + 1) <= 0
  }

  /** Frees the place of a message. */
  release(): void {
    this.#total -= 1
    this.#onFree()
  }

  /** Returns how many more messages the transport may have, of those that are free. */
  #freeFor(transportId: number, free: number): number {
    const taken = this.#countOf(transportId)
    return Math.max(0, Math.min(perTransportMax - taken, Math.ceil((free - taken) / 2)))
  }

  #countOf(transportId: number): number {
    return this.#byTransport.get(transportId) ?? 0
  }

  /** Counts messages for a transport: 1 that has come, or -1 that has left. */
  count(transportId: number, change: 1 | -1): void {
    const count = this.#countOf(transportId) + change
    if (count === 0) this.#byTransport.delete(transportId)
    else this.#byTransport.set(transportId, count)
    if (change < 0) this.#onFree()
  }
}

/** The place of one message among those that are being sent. */
export class Place {
  readonly #shares: TransportShares
  readonly #counted = new Set<number>()
  #turn: TransportTurn | undefined
  readonly #timeout = new Alarm(() => this.#leave(noTransport))
  #isReleased = false

  constructor(shares: TransportShares) {
    this.#shares = shares
  }

  count(transportId: number): void {
    this.#counted.add(transportId)
    this.#shares.count(transportId, 1)
  }

  /** Counts the message for the transport of its route. Returns false if the transport has its share already. */
  enter({ transportId: id }: OpenTransport): boolean {
    const transportId = id ?? defaultTransport
    if (this.#counted.has(transportId)) return true
    if (this.#shares.isFull(transportId)) return false
    this.count(transportId)
    if (this.#counted.has(noTransport) && !this.#timeout.isSet) this.#timeout.set(firstAttemptMs)
    return true
  }

  /** Waits until the transport takes the message. */
  async waitForTurn(throttle: TransportThrottle, lane: Lane): Promise<void> {
    this.#turn?.end()
    this.#turn = await throttle.acquire(lane)
  }

  /** The message is given to its transport. */
  startSending(startMs: number): void {
    this.#turn?.startSending(startMs)
  }

  /** Frees the places in the shares: the attempt has ended. */
  leave(): void {
    this.#timeout.cancel()
    this.#turn?.end()
    for (const transportId of this.#counted) this.#leave(transportId)
  }

  /** Frees everything: the outcome is written. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.leave()
    this.#shares.release()
  }

  #leave(transportId: number): void {
    if (this.#counted.delete(transportId)) this.#shares.count(transportId, -1)
  }
}
