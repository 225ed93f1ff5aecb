import { CircuitBreaker } from '../../../kit/circuit-breaker.ts'
import { type Clock, startStopwatch } from '../../../kit/clock.ts'
import { faultResult } from '../delivery/create-result.ts'
import type { Attempt, DeliveryResult } from '../delivery/delivery-result.ts'
import type { Fault } from '../delivery/fault.ts'
import { FaultError, joinSentences } from '../delivery/fault-error.ts'
import {
  type SendOptions,
  sumLoads,
  type Transport,
  type TransportLoad,
} from '../delivery/transport.ts'
import type { Message } from '../message/message.ts'

interface ListTransportOptions {
  readonly kind: 'failover' | 'roundrobin'
  readonly members: readonly Transport[]
  readonly retryPeriodMs: number
  /** Scheme, host and port of each member. */
  readonly label: string
  readonly clock: Clock
  /** Returns a number from 0 up to but not including 1: selects the first member of a round robin. */
  readonly random: () => number
}

const second = 1000
const retryAfterMsMax = 3600 * second

/**
 * A list of transports. A failover starts with its first member every time, a round robin with the next one. The next
 * member is tried only if no server has the message and the fault was the member's. Only such a fault makes a member
 * unavailable, for the retry period of the list or for as long as the server asked. After that one message tries it, while the
 * others still skip it. When all are unavailable, the message is refused temporarily.
 */
export class ListTransport implements Transport {
  readonly label: string
  readonly #kind: ListTransportOptions['kind']
  readonly #members: readonly Transport[]
  readonly #breaker: CircuitBreaker<Transport, Fault>
  /** The members that are tried again. */
  readonly #tried = new Set<Transport>()
  readonly #now: () => number
  #turn: number

  constructor({ kind, members, retryPeriodMs, label, clock, random }: ListTransportOptions) {
    this.label = label
    this.#kind = kind
    this.#members = members
    this.#now = () => clock.monotonic()
    const pauses = { firstMs: retryPeriodMs, longestMs: retryPeriodMs, jitter: 0 }
    this.#breaker = new CircuitBreaker({ pauses, now: this.#now })
    this.#turn = Math.floor(random() * members.length)
  }

  async send(message: Message, options?: SendOptions): Promise<DeliveryResult> {
    const elapsedMs = startStopwatch()
    const attempts: Attempt[] = []
    let refusal: DeliveryResult | undefined
    const members = this.#inOrder()
    for (const member of members) {
      if (!this.#tryEnter(member)) continue
      const result = await member.send(message, options)
      this.#settle(member, result)
      attempts.push(...result.attempts)
      if (!mayGoOn(result)) return { ...result, attempts, durationMs: elapsedMs() }
      if (result.fault?.scope === 'message') refusal = result
    }
    const durationMs = elapsedMs()
    // A member that refused this sender may be used for others.
    if (refusal !== undefined) return { ...refusal, attempts, durationMs }
    const fault = this.#allOut(members, attempts)
    const result = faultResult(fault, { member: this.label, message, durationMs })
    return { ...result, attempts }
  }

  load(): TransportLoad {
    return sumLoads(this.#members)
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.close()))
  }

  #inOrder(): readonly Transport[] {
    if (this.#kind === 'failover') return this.#members
    const first = this.#turn
    this.#turn = (first + 1) % this.#members.length
    return [...this.#members.slice(first), ...this.#members.slice(0, first)]
  }

  /** Whether a message may try a member now. After true, call `#settle` once. */
  #tryEnter(member: Transport): boolean {
    if (this.#breaker.find(member) === undefined) return true
    if (this.#tried.has(member) || this.#breaker.isPaused(member)) return false
    this.#tried.add(member)
    return true
  }

  #settle(member: Transport, { outcome, fault, retryAfterMs }: DeliveryResult): void {
    this.#tried.delete(member)
    if (fault?.scope === 'member' && outcome !== 'accepted') {
      const askedMs = retryAfterMs ?? fault.retryAfterMs
      this.#breaker.fail(member, fault, (periodMs) =>
        askedMs === null ? periodMs : Math.min(Math.max(askedMs, second), retryAfterMsMax),
      )
    }
    // The server replied, so it works; the refusal was about the message.
    else if (outcome === 'accepted' || fault?.reply) this.#breaker.pass(member)
  }

  #allOut(members: readonly Transport[], attempts: readonly Attempt[]): FaultError {
    const failing = members.map((member) => this.#breaker.find(member))
    const waits = members.map((member) => this.#breaker.pausedUntil(member) - this.#now())
    const last = attempts.at(-1)?.fault ?? failing[0]?.problem
    const causes = members.map(
      ({ label }, index) =>
        `${label}: ${failing[index]?.problem.message ?? 'another message is trying it.'}`,
    )
    return new FaultError({
      code: 'members_out',
      stage: last?.stage ?? 'connect',
      message: joinSentences(['No member of the list can take the message now.', ...causes]),
      ...(last === undefined || last === null ? {} : { hint: last.hint }),
      retryAfterMs: Math.max(second, Math.min(...waits)),
    })
  }
}

/** Whether the next member may be tried: no server has the message, and the fault was the member's, or that of its mailbox. */
function mayGoOn({ outcome, fault }: DeliveryResult): boolean {
  if (outcome !== 'refused' || fault === null || fault.code === 'transport_closed') return false
  const isOfLogin = fault.stage === 'auth' || fault.stage === 'token'
  return fault.scope === 'member' || (isOfLogin && fault.code !== 'cancelled')
}
