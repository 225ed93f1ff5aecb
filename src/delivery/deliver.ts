import { within } from '../kit/within.ts'
import type { Limiter, LimitReached } from '../limits/index.ts'
import type { DeliveryResult, Message } from '../mailer/index.ts'
import type { Route } from '../routing/index.ts'
import type { Settlement } from './broadcasts/recipient-states.ts'
import type { TransportThrottles } from './broadcasts/transport-throttle.ts'
import type { DeliveryLog } from './log/delivery-log.ts'
import type {
  Duplicate,
  LoggedRecipient,
  NewDelivery,
  StartedAttempt,
} from './log/start-attempts.ts'
import { type Deferral, type LimitedTransport, limitedBy, openLimited } from './open-limited.ts'
import type { SuppressedRecipient } from './suppressed/suppressed-recipient.ts'
import type { OpenTransport, TransportPool } from './transport-pool.ts'

/** How long an answer waits until the outcome is written. */
const writeWaitMs = 2_000
/** How long a message waits for tokens, if its caller does not say. */
const limitWaitMsDefault = 3_000

/** A message and its route. */
export interface DeliverRequest
  extends Omit<NewDelivery, 'recipients' | 'sender' | 'transport' | 'transportId' | 'trace'> {
  message: Message
  route: Route
  /** The keys that identify the same message to this recipient when it is submitted again. */
  keysOf: (address: string) => Omit<LoggedRecipient, 'address'>
  /** Returns why the transport gets no message now; undefined if it does. Default: it gets the message. */
  admit?: (transport: OpenTransport) => Deferral | undefined
  /** How long the message waits for tokens of the limits of its transport, in milliseconds. Default: 3 s. */
  limitWaitMs?: number
  /** Returns what becomes of the recipient of a broadcast; it is written together with the outcome. */
  settle?: (result: DeliveryResult) => Settlement
  /** Called once the start is logged. If it throws, the message is not sent and `deliver` rejects with its error. */
  beforeSend?: () => Promise<void>
  /**
   * Whether the transport gets the message only once its start is on the disk. Without it, a connection already sends the
   * envelope, which is faster for one message and slower for many. Default: false.
   */
  isFlushedFirst?: boolean
  /** Whether it is one of many, so that every suppression counts; see `SuppressionQuestion`. Default: false. */
  isBulk?: boolean
  /** The address in From, whose domain suppressions may name. Default: the sender of the envelope. */
  from?: string | undefined
}

export interface DeliverReport {
  /** Undefined if nothing was sent: there is no transport, or all recipients are duplicates. */
  result: DeliveryResult | undefined
  /** The recipients who have had the message before, or may have had it. */
  duplicates: readonly Duplicate[]
  /** The recipients whose address is suppressed: nothing was sent to them. */
  suppressed: readonly SuppressedRecipient[]
  /** The recipients whose address bounced and is suppressed from now on. */
  bounced: readonly string[]
  /** The logged deliveries and their transport; undefined if nothing was sent. */
  started:
    | { deliveryIds: readonly number[]; transportId: number | null; transport: string }
    | undefined
  /** Why nothing was sent to the recipients who are no duplicates: there is no transport, or it gets no message now. */
  problem: string | undefined
  /** The transport that cannot be used; null for the default, undefined if there is none. */
  transportId?: number | null
  /** When the transport gets messages again; undefined if there is none, or if its limit refuses the message. */
  deferral?: Deferral & { transportId: number | null }
  /** The limit that keeps the message from being sent now. */
  limit?: LimitReached['limit']
}

/** The report of a message that was not sent. */
export const nothingSent: DeliverReport = {
  result: undefined,
  duplicates: [],
  suppressed: [],
  bounced: [],
  started: undefined,
  problem: undefined,
}

/**
 * Sends a message through the transport of its route. Its start is logged before a server can receive it, its outcome
 * after. Throws an AppError (`upstream`) if the database is lost before it is sent.
 */
export type Deliver = (request: DeliverRequest) => Promise<DeliverReport>

/** A message that was sent, and what came of it. */
export interface SentMessage {
  request: Omit<DeliverRequest, 'route'>
  /** The route that was taken. */
  route: Route
  /** Null for the configured default. */
  transportId: number | null
  attempts: readonly StartedAttempt[]
  result: DeliveryResult
  /** Resolves when the outcome is in the delivery log. */
  written: Promise<void>
}

/** Records the bounces of sent messages. */
export interface RecordBounces {
  /** Records the bounced recipients of a message; returns those that are suppressed. It does not reject. */
  record(sent: SentMessage): Promise<readonly string[]>
  /** Resolves when everything is written. */
  close(): Promise<void>
}

export interface DeliverThroughOptions {
  deliveryLog: DeliveryLog
  /** Default: bounces are not recorded. */
  bounces?: RecordBounces | undefined
  throttles: TransportThrottles
  /** Cancels deliveries in flight. */
  stopping: AbortSignal
}

export interface DeliverOptions extends DeliverThroughOptions {
  transportPool: TransportPool
  limiter: Pick<Limiter, 'acquire'>
}

export function createDeliver(options: DeliverOptions): Deliver {
  const { deliveryLog, stopping: signal } = options
  return async (request) => {
    const { message, keysOf, admit, limitWaitMs: waitMs = limitWaitMsDefault } = request
    const { to } = message.envelope
    const limited = { count: to.length, waitMs, signal, admit }
    const through = await openLimited(request.route, limited, options)
    if ('problem' in through) {
      const recipients = to.map((address) => ({ address, ...keysOf(address) }))
      const isDeferred = through.deferral !== undefined && through.limit === undefined
      const duplicates = isDeferred ? [] : await deliveryLog.findDuplicates(recipients)
      return { ...nothingSent, duplicates, ...through }
    }
    try {
      return await deliverThrough(request, through, options)
    } finally {
      through.permit.release()
    }
  }
}

/** Sends a message through an open transport, with the permission of its limits. See `Deliver`. */
export async function deliverThrough(
  request: Omit<DeliverRequest, 'route'>,
  { openTransport, permit, route }: LimitedTransport,
  options: DeliverThroughOptions,
): Promise<DeliverReport> {
  const { deliveryLog, bounces, throttles, stopping } = options
  const { message, keysOf, beforeSend, settle, isFlushedFirst = false } = request
  const { from: sender, to } = message.envelope
  const recipients = to.map((address) => ({ address, ...keysOf(address) }))
  const { transportId, name: transport } = openTransport
  const delivery = { ...request, sender, recipients, transportId, transport, trace: route.trace }
  const { results, flushed, isLeaseValid } = await deliveryLog.start(delivery)
  const attempts = results.filter((each) => each.state === 'started')
  const duplicates = results.filter((each) => each.state === 'duplicate')
  if (attempts.length === 0) return { ...nothingSent, duplicates }
  permit.giveBack(duplicates.length)
  const envelope = { ...message.envelope, to: attempts.map(({ address }) => address) }
  if (isFlushedFirst) await flushed.catch(() => undefined)
  const allowed = beforeSend?.()
  const ready = Promise.all([flushed, allowed])
  // A transport that fails earlier does not wait for it.
  ready.catch(() => undefined)
  const checks = limitedBy(permit, isLeaseValid)
  const sendOptions = { source: request.source, signal: stopping, ready, ...checks }
  const result = await openTransport.send({ ...message, envelope }, sendOptions)
  permit.release()
  // The caller gets the result even while the database is lost.
  const written = deliveryLog.finish(attempts, result, settle && (() => settle(result)))
  throttles.of(openTransport).noteResult(result)
  // The client may repeat the message at once: then a bounced address is suppressed already.
  let bounced: readonly string[] = []
  const recording = bounces
    ?.record({ request, route, transportId, attempts, result, written })
    .then((addresses) => {
      bounced = addresses
    })
  await within(writeWaitMs, Promise.all([written, recording]))
  await allowed
  const deliveryIds = attempts.map(({ id }) => id)
  const started = { deliveryIds, transportId, transport }
  return { ...nothingSent, result, duplicates, bounced, started }
}

/** Deliveries that can be waited for and cancelled. */
export interface InFlight {
  deliver: Deliver
  /**
   * Resolves when nothing is in flight, whether or not a caller still waits, and all outcomes are written. After `timeMs`
   * it cancels the rest, and waits no longer for a lost database.
   */
  drain(timeMs: number): Promise<void>
  /** Cancels everything in flight and resolves when it has ended. Do not call `deliver` after it. */
  cancel(): Promise<void>
}

/** Opens the deliveries of a process. `wrap` returns what is done for each message around sending it. */
export function openInFlight(
  options: Omit<DeliverOptions, 'stopping'> & {
    /** Default: nothing is reported to Mautics. */
    mauticReporter?: { close(timeMs: number): Promise<void> }
  },
  wrap: (send: Deliver) => Deliver = (send) => send,
): InFlight {
  const stopping = new AbortController()
  const deliver = wrap(createDeliver({ ...options, stopping: stopping.signal }))
  const inFlight = new Set<Promise<DeliverReport>>()
  let timeout: NodeJS.Timeout | undefined
  return {
    async deliver(request) {
      const delivery = deliver(request)
      inFlight.add(delivery)
      try {
        return await delivery
      } finally {
        inFlight.delete(delivery)
      }
    },
    async drain(timeMs) {
      const endsAt = performance.now() + timeMs
      timeout = setTimeout(() => stopping.abort(), timeMs)
      while (inFlight.size > 0) await Promise.allSettled(inFlight)
      await options.deliveryLog.drain(endsAt - performance.now())
    },
    async cancel() {
      clearTimeout(timeout)
      stopping.abort()
      await Promise.allSettled(inFlight)
      await options.deliveryLog.drain(writeWaitMs)
      await within(writeWaitMs, options.bounces?.close() ?? Promise.resolve())
      await options.mauticReporter?.close(writeWaitMs)
      options.deliveryLog.close()
    },
  }
}
