import type { Clock } from '../clock.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import type { Fault } from '../delivery/fault.ts'

const second = 1000
const retryAfterMsMax = 3600 * second

/**
 * Whether a member of a list is in or out. Only a fault of the member puts it out, for the list's retry
 * period or as long as the server asked for. Then one message tries it, while the others still go past;
 * if that one gets through, the member is in again.
 */
export class MemberHealth {
  readonly #clock: Clock
  readonly #retryPeriodMs: number
  #outUntil = 0
  #isTried = false
  #fault: Fault | undefined

  constructor(clock: Clock, retryPeriodMs: number) {
    this.#clock = clock
    this.#retryPeriodMs = retryPeriodMs
  }

  /** Why it is out; undefined while it is in. */
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** How long it stays out; 0 when a message may try it. */
  get outForMs(): number {
    return this.#outUntil === 0 ? 0 : Math.max(0, this.#outUntil - this.#clock.now())
  }

  /** Whether a message may go this way now. Each yes is followed by one `settle`. */
  tryEnter(): boolean {
    if (this.#outUntil === 0) return true
    if (this.#isTried || this.outForMs > 0) return false
    this.#isTried = true
    return true
  }

  /** Learns from what became of the message. */
  settle({ outcome, fault, retryAfterMs }: DeliveryResult): void {
    this.#isTried = false
    if (fault?.scope === 'member' && outcome !== 'accepted') {
      const askedMs = retryAfterMs ?? fault.retryAfterMs
      const waitMs =
        askedMs === null
          ? this.#retryPeriodMs
          : Math.min(Math.max(askedMs, second), retryAfterMsMax)
      this.#outUntil = this.#clock.now() + waitMs
      this.#fault = fault
    } else if (outcome === 'accepted' || fault?.reply) {
      // The server answered; what it said of the message is not its fault.
      this.#outUntil = 0
      this.#fault = undefined
    }
  }
}
