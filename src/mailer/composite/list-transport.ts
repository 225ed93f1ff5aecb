import type { Clock } from '../clock.ts'
import type { Attempt, DeliveryResult } from '../delivery/delivery-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { joinSentences } from '../delivery/join-sentences.ts'
import { faultResult } from '../delivery/result.ts'
import type { SendOptions, Transport, TransportLoad } from '../delivery/transport.ts'
import type { Message } from '../message/message.ts'
import { MemberHealth } from './member-health.ts'

/** What a list is made of. */
export interface ListTransportOptions {
  readonly kind: 'failover' | 'roundrobin'
  readonly members: readonly Transport[]
  readonly retryPeriodMs: number
  /** Scheme, host and port of each member. */
  readonly label: string
  readonly clock: Clock
  /** From 0 up to but without 1: where a round robin begins. */
  readonly random: () => number
}

interface Member {
  readonly transport: Transport
  readonly health: MemberHealth
}

/**
 * Opens a list. A failover begins with its first member every time, a round robin with the next in turn;
 * both go on to another member only while no server has the message and the fault was the member's.
 * Members that are out are passed by; when all are, the message is refused for now, untried.
 */
export function openListTransport(options: ListTransportOptions): Transport {
  const { label, clock, kind, retryPeriodMs } = options
  const members = options.members.map((transport): Member => {
    return { transport, health: new MemberHealth(clock, retryPeriodMs) }
  })
  let turn = Math.floor(options.random() * members.length)
  const inOrder = () => {
    if (kind === 'failover') return members
    const first = turn
    turn = (turn + 1) % members.length
    return [...members.slice(first), ...members.slice(0, first)]
  }
  return {
    label,
    send: (message, sendOptions) => sendThrough(inOrder(), message, { label, sendOptions }),
    load: () => members.map(({ transport }) => transport.load()).reduce(addLoads),
    async close() {
      await Promise.all(members.map(({ transport }) => transport.close()))
    },
  }
}

interface ListSend {
  readonly label: string
  readonly sendOptions: SendOptions | undefined
}

async function sendThrough(
  members: readonly Member[],
  message: Message,
  { label, sendOptions }: ListSend,
): Promise<DeliveryResult> {
  const startedAt = performance.now()
  const attempts: Attempt[] = []
  for (const { transport, health } of members) {
    if (!health.tryEnter()) continue
    const result = await transport.send(message, sendOptions)
    health.settle(result)
    attempts.push(...result.attempts)
    if (!mayGoOn(result)) return { ...result, attempts, durationMs: performance.now() - startedAt }
  }
  const durationMs = performance.now() - startedAt
  const result = faultResult(allOut(members, attempts), { member: label, message, durationMs })
  return { ...result, attempts }
}

/** No server has the message, and another member would not meet the same fault. */
function mayGoOn({ outcome, fault }: DeliveryResult): boolean {
  return outcome === 'refused' && fault?.scope === 'member' && fault.code !== 'transport_closed'
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

function addLoads(one: TransportLoad, other: TransportLoad): TransportLoad {
  return {
    connections: one.connections + other.connections,
    sending: one.sending + other.sending,
    waiting: one.waiting + other.waiting,
  }
}
