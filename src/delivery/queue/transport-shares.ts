/** The most messages that one process sends at a time. */
const inFlightMax = 200
/** The most through one transport. */
const perTransportMax = 60
/** A share is filled again when a sixth of it is free: a claim of many costs little more than a claim of one. */
const refilledPart = 1 / 6
/** A first attempt that takes longer leaves its place among the first attempts to another message. */
const firstAttemptMs = 2_000

import { noTransport } from '../table.ts'

/** The place of one message among those that are being sent. */
export interface Place {
  /** Counts the message for the transport of its route. Returns false if the transport has its share already. */
  enter(transportId: number): boolean
  /** Frees the places in the shares: the attempt has ended. */
  leave(): void
  /** Frees everything: the outcome is written. */
  release(): void
}

/**
 * Divides the messages that one process sends at a time between the transports, by `transport_id`. A transport gets no
 * more than it leaves to the others, so several that do not answer leave capacity too.
 *
 * First attempts, whose transport is not known before the claim, have a share of their own. A message counts there until
 * it ends, for two seconds at most once its route is chosen. Without this time, first attempts for a fast transport would
 * be claimed although it has its share, and be written back for nothing.
 */
export class TransportShares {
  readonly #onFree: () => void
  readonly #byTransport = new Map<number, number>()
  #total = 0

  /** `onFree` is called when a message has left a share. */
  constructor(onFree: () => void) {
    this.#onFree = onFree
  }

  /** Whether half of all places are free. */
  get isHalfFree(): boolean {
    return this.#total < inFlightMax / 2
  }

  /** Returns how many messages to claim for a transport now. */
  claimable(transportId: number): number {
    const own = this.#countOf(transportId)
    const more = this.#moreFor(transportId, inFlightMax - this.#total)
    return more >= (own + more) * refilledPart ? more : 0
  }

  /** Takes the place of a message that is about to be sent; `claimedFor` is undefined if it was not claimed. */
  take(claimedFor?: number): Place {
    const counted = new Set<number>()
    let timeout: NodeJS.Timeout | undefined
    let isReleased = false
    const leave = (transportId: number) => {
      if (counted.delete(transportId)) this.#count(transportId, -1)
    }
    const leaveAll = () => {
      clearTimeout(timeout)
      for (const transportId of counted) leave(transportId)
    }
    const enter = (transportId: number) => {
      counted.add(transportId)
      this.#count(transportId, 1)
    }
    this.#total += 1
    if (claimedFor !== undefined) enter(claimedFor)
    return {
      enter: (transportId) => {
        if (counted.has(transportId)) return true
        // The message has a place already.
        if (this.#moreFor(transportId, inFlightMax - this.#total + 1) <= 0) return false
        enter(transportId)
        if (claimedFor === noTransport) timeout ??= setTimeout(leave, firstAttemptMs, claimedFor)
        return true
      },
      leave: leaveAll,
      release: () => {
        if (isReleased) return
        isReleased = true
        this.#total -= 1
        leaveAll()
        this.#onFree()
      },
    }
  }

  /** Returns how many more messages the transport may have, of those that are free. */
  #moreFor(transportId: number, free: number): number {
    const own = this.#countOf(transportId)
    return Math.max(0, Math.min(perTransportMax - own, Math.ceil((free - own) / 2)))
  }

  #countOf(transportId: number): number {
    return this.#byTransport.get(transportId) ?? 0
  }

  #count(transportId: number, change: number): void {
    const count = this.#countOf(transportId) + change
    if (count === 0) this.#byTransport.delete(transportId)
    else this.#byTransport.set(transportId, count)
    if (change < 0) this.#onFree()
  }
}
