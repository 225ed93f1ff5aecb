import type { MaybePromise } from '../kit/maybe-promise.ts'
import type { Limiter, LimitReached, Permit } from '../limits/index.ts'
import type { SendOptions } from '../mailer/index.ts'
import type { Route } from '../routing/index.ts'
import type { OpenTransport, OpenTransportProblem, TransportPool } from './transport-pool.ts'

/** The transport of a message, with a token of each of its limits for each recipient. */
export interface LimitedTransport {
  openTransport: OpenTransport
  permit: Permit
  /** The route that was taken: a limit may have led to the next step. */
  route: Route
}

/** Why a transport gets no message now. */
export interface Deferral {
  /** Milliseconds since the epoch. */
  until: number
  /** A sentence for the person who can fix it. */
  problem: string
  /** Whether the transport has failed: it may be repaired before `until`. Default: it works. */
  isFailing?: true
  /** What holds the message until a person decides: a brake, or null for a person. Undefined if it is sent at `until`. */
  brakeId?: number | null | undefined
}

export interface LimitedProblem extends OpenTransportProblem {
  /** The limit that keeps the message from being sent now. */
  limit?: LimitReached['limit']
  /** When the transport gets messages again; undefined if there is none, or if its limit refuses the message. */
  deferral?: Deferral & { transportId: number | null }
}

export interface OpenLimitedOptions {
  transportPool: Pick<TransportPool, 'open'>
  limiter: Pick<Limiter, 'acquire'>
}

/** The recipients of a message, and how long it may wait for their tokens. */
export interface LimitedMessage {
  count: number
  waitMs: number
  signal: AbortSignal
  /** Returns why the transport gets no message now; undefined if it does. */
  admit?: ((transport: OpenTransport) => MaybePromise<Deferral | undefined>) | undefined
}

/** Opens the transport of a route. If its limit is reached and says so, the next one of the route is opened. */
export async function openLimited(
  first: Route,
  { count, waitMs, signal, admit }: LimitedMessage,
  { transportPool, limiter }: OpenLimitedOptions,
): Promise<LimitedTransport | LimitedProblem> {
  let reached: LimitedProblem | undefined
  for (let route = first; ; ) {
    const openTransport = await transportPool.open(route)
    if ('problem' in openTransport) return reached ?? openTransport
    const { transportId } = openTransport
    const deferral = await admit?.(openTransport)
    if (deferral !== undefined)
      return { problem: deferral.problem, deferral: { ...deferral, transportId } }
    const acquired = await limiter.acquire({ transportId, count }, { waitMs, signal })
    if (acquired.granted) return { openTransport, permit: acquired.permit, route }
    reached ??= problemOf(acquired, transportId)
    const next =
      acquired.overflow === 'next' && transportId !== null
        ? route.next?.(transportId, `limit "${acquired.limit.name}" is reached`)
        : undefined
    if (next === undefined) return reached
    route = next
  }
}

function problemOf(
  { problem, limit, overflow, freeAt: until }: LimitReached,
  transportId: number | null,
): LimitedProblem {
  if (overflow === 'refuse') return { problem, limit }
  return { problem, limit, deferral: { until, problem, transportId } }
}

/** The options of a send that check the lease of the process and the tokens of the message. */
export function limitedBy(
  permit: Permit,
  isLeaseValid: () => boolean,
): Pick<SendOptions, 'beforeMessage' | 'isLeaseValid'> {
  return {
    beforeMessage: () => permit.confirm(),
    isLeaseValid: () => isLeaseValid() && permit.begin(),
  }
}
