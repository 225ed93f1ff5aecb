import type { Clock } from '../../kit/clock.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import type { Deferral, Gate, OpenTransport, TransportThrottles } from '../delivery/index.ts'
import type { BulkBrakes } from './brakes/bulk-brakes.ts'
import type { BrakedMessage } from './brakes/bulk-group.ts'
import type { TransportHolds } from './transport-holds.ts'
import type { Place } from './transport-shares.ts'

export interface QueueGateParts {
  holds: Pick<TransportHolds, 'find'>
  brakes: Pick<BulkBrakes, 'find'>
  throttles: TransportThrottles
  clock: Clock
}

/** The gate of one attempt. It puts off a message that is held, or whose transport has failed or has its share of the messages in flight. */
export class QueueGate implements Gate {
  readonly #parts: QueueGateParts
  readonly #message: BrakedMessage
  readonly #place: Place | undefined

  /** `place`: undefined for a message whose sender waits, which waits for no turn. */
  constructor(parts: QueueGateParts, message: BrakedMessage, place?: Place) {
    this.#parts = parts
    this.#message = message
    this.#place = place
  }

  admit(transport: OpenTransport, brand: number): MaybePromise<Deferral | undefined> {
    const { holds, brakes } = this.#parts
    const { transportId } = transport
    const held = holds.find(transportId) ?? brakes.find(this.#message, { transportId, brand })
    if (held !== undefined || this.#place === undefined) return held
    return this.#takeTurn(transport, this.#place)
  }

  startSending(startMs: number): void {
    this.#place?.startSending(startMs)
  }

  async #takeTurn(transport: OpenTransport, place: Place): Promise<Deferral | undefined> {
    const { throttles, clock } = this.#parts
    const throttle = throttles.of(transport)
    if (throttle.unavailableUntil <= clock.now()) {
      if (!place.enter(transport))
        return {
          until: clock.now(),
          problem: 'The message waits for others of the same transport.',
        }
      await place.waitForTurn(throttle, this.#message.lane)
    }
    if (throttles.isStopped) return { until: clock.now(), problem: 'This Mailyard was stopped.' }
    // It may have failed meanwhile.
    const { unavailableUntil: until, problem = 'The transport is not available.' } = throttle
    return until > clock.now() ? { until, problem, isFailing: true } : undefined
  }
}
