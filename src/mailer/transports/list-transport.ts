import { type Clock, startStopwatch } from '../../kit/clock.ts'
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

interface Member {
  readonly transport: Transport
  readonly health: MemberHealth
}

/**
 * A list of transports. A failover starts with its first member every time, a round robin with the next one. The next
 * member is tried only if no server has the message and the fault was the member's. Unavailable members are skipped;
 * when all are unavailable, the message is refused temporarily.
 */
export class ListTransport implements Transport {
  readonly label: string
  readonly #kind: ListTransportOptions['kind']
  readonly #members: readonly Member[]
  #turn: number

  constructor({ kind, members, retryPeriodMs, label, clock, random }: ListTransportOptions) {
    this.label = label
    this.#kind = kind
    this.#members = members.map((transport): Member => {
      return { transport, health: new MemberHealth(clock, retryPeriodMs) }
    })
    this.#turn = Math.floor(random() * members.length)
  }

  async send(message: Message, options?: SendOptions): Promise<DeliveryResult> {
    const elapsedMs = startStopwatch()
    const attempts: Attempt[] = []
    let refusal: DeliveryResult | undefined
    const members = this.#inOrder()
    for (const { transport, health } of members) {
      if (!health.tryEnter()) continue
      const result = await transport.send(message, options)
      health.settle(result)
      attempts.push(...result.attempts)
      if (!mayGoOn(result)) return { ...result, attempts, durationMs: elapsedMs() }
      if (result.fault?.scope === 'message') refusal = result
    }
    const durationMs = elapsedMs()
    // A member that refused this sender may be used for others.
    if (refusal !== undefined) return { ...refusal, attempts, durationMs }
    const fault = allOut(members, attempts)
    const result = faultResult(fault, { member: this.label, message, durationMs })
    return { ...result, attempts }
  }

  load(): TransportLoad {
    return sumLoads(this.#members.map(({ transport }) => transport))
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ transport }) => transport.close()))
  }

  #inOrder(): readonly Member[] {
    if (this.#kind === 'failover') return this.#members
    const first = this.#turn
    this.#turn = (first + 1) % this.#members.length
    return [...this.#members.slice(first), ...this.#members.slice(0, first)]
  }
}

/** Whether the next member may be tried: no server has the message, and the fault was the member's, or that of its mailbox. */
function mayGoOn({ outcome, fault }: DeliveryResult): boolean {
  if (outcome !== 'refused' || fault === null || fault.code === 'transport_closed') return false
  const isOfLogin = fault.stage === 'auth' || fault.stage === 'token'
  return fault.scope === 'member' || (isOfLogin && fault.code !== 'cancelled')
}

function allOut(members: readonly Member[], attempts: readonly Attempt[]): FaultError {
  const waits = members.map(({ health }) => health.outForMs)
  const last = attempts.at(-1)?.fault ?? members.at(0)?.health.fault
  return new FaultError({
    code: 'members_out',
    stage: last?.stage ?? 'connect',
    message: joinSentences([
      'No member of the list can take the message now.',
      ...members.map(causeOf),
    ]),
    ...(last === undefined || last === null ? {} : { hint: last.hint }),
    retryAfterMs: Math.max(1000, Math.min(...waits)),
  })
}

function causeOf({ transport, health }: Member): string {
  return `${transport.label}: ${health.fault?.message ?? 'another message is trying it.'}`
}

const second = 1000
const retryAfterMsMax = 3600 * second

/**
 * Whether a member of a list is available. Only a fault of the member makes it unavailable, for the retry period of the
 * list or for as long as the server asked. After that one message tries it, while the others still skip it. When the
 * message is delivered, the member is available again.
 */
class MemberHealth {
  readonly #clock: Clock
  readonly #retryPeriodMs: number
  #outUntil = 0
  #isTried = false
  #fault: Fault | undefined

  constructor(clock: Clock, retryPeriodMs: number) {
    this.#clock = clock
    this.#retryPeriodMs = retryPeriodMs
  }

  /** Why it is unavailable; undefined while it is available. */
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** How long it stays unavailable; 0 when a message may try it. */
  get outForMs(): number {
    return this.#outUntil === 0 ? 0 : Math.max(0, this.#outUntil - this.#clock.monotonic())
  }

  /** Whether a message may try it now. After true, call `settle` once. */
  tryEnter(): boolean {
    if (this.#outUntil === 0) return true
    if (this.#isTried || this.outForMs > 0) return false
    this.#isTried = true
    return true
  }

  /** Records the result of the message. */
  settle({ outcome, fault, retryAfterMs }: DeliveryResult): void {
    this.#isTried = false
    if (fault?.scope === 'member' && outcome !== 'accepted') {
      const askedMs = retryAfterMs ?? fault.retryAfterMs
      const waitMs =
        askedMs === null
          ? this.#retryPeriodMs
          : Math.min(Math.max(askedMs, second), retryAfterMsMax)
      this.#outUntil = this.#clock.monotonic() + waitMs
      this.#fault = fault
    } else if (outcome === 'accepted' || fault?.reply) {
      // The server replied, so it works; the refusal was about the message.
      this.#outUntil = 0
      this.#fault = undefined
    }
  }
}
