import { AppError } from '../../kit/app-error.ts'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import { type Clock, startStopwatch } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { Alarm } from '../../kit/timers.ts'
import { within } from '../../kit/within.ts'
import type { DeliveryResult, Envelope } from '../../libraries/mailer/index.ts'
import type { Installation } from '../../platform/installation/index.ts'
import type { Limiter, LimitReached, Permit } from '../limits/index.ts'
import type { Route } from '../routing/index.ts'
import {
  domainOf,
  type FindSuppressions,
  type ListRule,
  type Suppression,
} from '../suppressions/index.ts'
import type { DeliveryReference } from './log/delivery-keys.ts'
import type { DeliveryLog } from './log/delivery-log.ts'
import type {
  Duplicate,
  LoggedRecipient,
  NewDelivery,
  StartedAttempt,
} from './log/start-attempts.ts'
import type { ComposedMessage } from './submission/submission.ts'
import { describeSuppression, type SuppressedRecipient } from './suppressed-recipient.ts'
import type { OnUnattempted } from './table.ts'
import type { OpenTransport, OpenTransportProblem, TransportPool } from './transport-pool.ts'
import type { TransportThrottles } from './transport-throttle.ts'

/** How long an answer waits until the outcome is written. */
const writeWaitMs = 2_000
/** How long to wait after the turn of a message has ended: its limit has another one within a second. */
const endedTurnMs = 1_000
/** How many recipients of a message have transactions of their own at a time. */
const recipientsAtOnce = 20
/** How long a message waits for tokens, if its caller does not say. */
const limitWaitMsDefault = 3_000
/** How many suppressed recipients are remembered, so that a repeated message to one is not logged again. */
const repeatsMax = 50_000

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

/** Decides whether a message is given to its transport now. */
export interface Gate {
  /** Returns why the transport gets no message now; undefined if it does. `brand`: that of the message. */
  admit(transport: OpenTransport, brand: number): MaybePromise<Deferral | undefined>
  /** Called when the message is given to its transport, with the milliseconds that the log needed to write its start. */
  startSending(startMs: number): void
}

/** A message and its route. */
export interface DeliverRequest
  extends Omit<NewDelivery, 'recipients' | 'sender' | 'transport' | 'transportId' | 'trace'> {
  /** The Mautic that submitted it; undefined for Mailyard itself. */
  mauticId: number | undefined
  envelope: Envelope
  /**
   * Composes the message, once its transport takes it; called again for each recipient with a message of their own. If it throws,
   * nothing is sent and `deliver` rejects with its error.
   */
  compose: () => MaybePromise<ComposedMessage>
  route: Route
  /** The keys that identify the same message to this recipient when it is submitted again. */
  keysOf: (address: string) => Omit<LoggedRecipient, 'address'>
  /** Default: every transport gets the message. */
  gate?: Gate | undefined
  /** How long the message waits for tokens of the limits of its transport, in milliseconds. Default: 3 s. */
  limitWaitMs?: number | undefined
  /** Whether it is one of many, so that every suppression counts; see `SuppressionQuestion`. Default: false. */
  isBulk?: boolean | undefined
  /** The address in From, whose domain suppressions may name. Default: the sender of the envelope. */
  from?: string | undefined
  /** How the Do not contact list of its Mautic counts for it. Default: as the kind of the message says. */
  list?: ListRule | undefined
}

/** The transport of a message, null for the default, and the brand that the message has with it. */
export interface ChosenTransport {
  transportId: number | null
  brand: number
}

/** Why nothing is sent through the transport of a message. */
interface TransportRefusal extends OpenTransportProblem {
  /** The limit that keeps the message from being sent now. */
  limit?: LimitReached['limit']
  /** When the transport gets messages again; undefined if there is none, or if its limit refuses the message. */
  deferral?: Deferral & ChosenTransport
}

export interface DeliverReport extends Omit<TransportRefusal, 'problem'> {
  /** Empty if nothing was sent: there is no transport, or all recipients are duplicates. */
  sent: readonly SentResult[]
  /** The recipients who have had the message before, or may have had it. */
  duplicates: readonly Duplicate[]
  /** The recipients whose address is suppressed: nothing was sent to them. */
  suppressed: readonly SuppressedRecipient[]
  /** The recipients who may be suppressed: nothing was sent to them, because an answer decides about it. */
  undecided: readonly SuppressedRecipient[]
  /** The recipients whose address bounced and is suppressed from now on. */
  bounced: readonly string[]
  /** The logged deliveries and their transport; undefined if nothing was sent. */
  started: (ChosenTransport & { deliveryIds: readonly number[]; transport: string }) | undefined
  /** Why nothing was sent to the recipients who are no duplicates: there is no transport, or it gets no message now. */
  problem: string | undefined
}

/** The result for all recipients; where bounces come back to Mailyard, for one. */
export interface SentResult {
  result: DeliveryResult
  /** When it is sent again; undefined unless the turn that a limit gave it ended before its last bytes. */
  retryAt: number | undefined
}

/** The report of a message that was not sent. */
export const nothingSent: DeliverReport = {
  sent: [],
  duplicates: [],
  suppressed: [],
  undecided: [],
  bounced: [],
  started: undefined,
  problem: undefined,
}

/** A message that was sent, and its result. */
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

/** Reports messages of Mautics to them. */
export interface ReportToMautics {
  /** Notes from which domains a Mautic sends. */
  noteSender(request: DeliverRequest): void
  /** Reports the recipients whose address is suppressed; waits a moment until it is stored. */
  reportSuppressed(
    request: DeliverRequest,
    suppressed: readonly SuppressedRecipient[],
  ): Promise<void>
  /** Waits until everything is stored, for `timeMs` at most. */
  close(timeMs: number): Promise<void>
}

export interface DelivererOptions {
  installation: Pick<Installation, 'problem'>
  transportPool: Pick<TransportPool, 'open'>
  limiter: Pick<Limiter, 'acquire'>
  throttles: TransportThrottles
  deliveryLog: DeliveryLog
  findSuppressions: FindSuppressions
  bounces: RecordBounces
  mauticReporter: ReportToMautics
  clock: Clock
  log: Log
  /** How long the same message over SMTP to a suppressed address is not logged again: Mautic repeats it many times. */
  repeatMs: number
  onUnattempted?: OnUnattempted | undefined
  /** The envelope sender whose mail is about one delivery. Undefined: there is no bounce address. */
  returnPathOf?: ((delivery: DeliveryReference) => string) | undefined
  /** Called after each attempt, with its domains. It must not throw. */
  noteSender?: ((sender: AttemptSender) => void) | undefined
}

/** The transport of a message, with a token of each of its limits for each recipient. */
interface LimitedTransport {
  openTransport: OpenTransport
  permit: Permit
  /** The route that was taken: a limit may have led to the next step. */
  route: Route
}

/** The domains that an attempt was sent from. */
export interface AttemptSender {
  /** The domain in From. */
  domain: string
  /** That of the envelope sender; '' for a notification. */
  envelopeDomain: string
  /** Null for the configured default. */
  transportId: number | null
  /** See `noBrand`. */
  brand: number
}

/** Makes the attempts of one process to deliver messages, and knows those that are in flight. */
export class Deliverer {
  readonly #options: DelivererOptions
  readonly #stopping = new AbortController()
  readonly #inFlight = new Set<Promise<DeliverReport>>()
  /** The suppressed recipients that were logged a moment ago. */
  readonly #logged: BoundedMemory<string, true>
  readonly #timeout = new Alarm(() => this.#stopping.abort())

  constructor(options: DelivererOptions) {
    this.#options = options
    const { repeatMs: keepMs, clock } = options
    this.#logged = new BoundedMemory({ sizeMax: repeatsMax, expiry: { keepMs, clock } })
  }

  /**
   * Sends a message through the transport of its route. Its start is logged before a server can receive it, its outcome
   * after. Throws an AppError (`upstream`) if the database is lost before it is sent.
   */
  async deliver(request: DeliverRequest): Promise<DeliverReport> {
    const delivery = this.#deliver(request)
    this.#inFlight.add(delivery)
    try {
      return await delivery
    } finally {
      this.#inFlight.delete(delivery)
    }
  }

  /**
   * Resolves when nothing is in flight, whether or not a caller still waits, and all outcomes are written. After `timeMs`
   * it cancels the rest, and waits no longer for a lost database.
   */
  async drain(timeMs: number): Promise<void> {
    const elapsedMs = startStopwatch()
    this.#timeout.set(timeMs)
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight)
    await this.#options.deliveryLog.drain(timeMs - elapsedMs())
  }

  /** Cancels everything in flight and resolves when it has ended. Do not call `deliver` after it. */
  async cancel(): Promise<void> {
    const { deliveryLog, bounces, mauticReporter } = this.#options
    this.#timeout.cancel()
    this.#stopping.abort()
    await Promise.allSettled(this.#inFlight)
    await deliveryLog.drain(writeWaitMs)
    await within(writeWaitMs, bounces.close())
    await mauticReporter.close(writeWaitMs)
    deliveryLog.close()
  }

  /** The gates that a message passes, in order; see docs/architecture.md. */
  async #deliver(request: DeliverRequest): Promise<DeliverReport> {
    const { mauticReporter } = this.#options
    mauticReporter.noteSender(request)
    const found = this.#findSuppressions(request)
    const suppressions = found instanceof Promise ? await found : found
    if (suppressions.size === 0) return this.#sendEach(request, request.envelope.to)
    const { to, ...withheld } = await this.#withhold(request, suppressions)
    if (withheld.suppressed.length > 0)
      await mauticReporter.reportSuppressed(request, withheld.suppressed)
    if (to.length === 0) return { ...nothingSent, ...withheld }
    const report = await this.#sendEach(request, to)
    const duplicates = [...withheld.duplicates, ...report.duplicates]
    return { ...report, ...withheld, duplicates }
  }

  /**
   * Sends to all recipients together or, where bounces come back to Mailyard, to each of them. The first of some passes the gate for
   * these, so that a hold stops the rest; an error does not hide what was sent.
   */
  async #sendEach(request: DeliverRequest, to: readonly string[]): Promise<DeliverReport> {
    const { gate } = request
    if (to.length === 1 || !this.#mayReturn(request)) return this.#sendLimited(request, to, gate)
    const opened = await this.#options.transportPool.open(request.route)
    if ('problem' in opened || !opened.hasReturnPath) return this.#sendLimited(request, to, gate)
    const putOff = (err: unknown) => this.#putOff(err, request, opened)
    const reports: DeliverReport[] = []
    for (let at = 0; at < to.length; at += recipientsAtOnce) {
      const [first, ...others] = to.slice(at, at + recipientsAtOnce).map((address) => [address])
      if (first === undefined) break
      const sending = this.#sendLimited(request, first, gate)
      const report = await (at === 0 ? sending : sending.catch(putOff))
      reports.push(report)
      if (report.problem !== undefined) break
      const sends = others.map((one) => this.#sendLimited(request, one).catch(putOff))
      reports.push(...(await Promise.all(sends)))
    }
    return combine(reports)
  }

  /** Others may have the message. */
  #putOff(err: unknown, request: DeliverRequest, { transportId }: OpenTransport): DeliverReport {
    const { clock, log } = this.#options
    log.warn({ err }, 'message not sent to one of its recipients')
    const problem = err instanceof AppError ? err.message : 'An unexpected error occurred.'
    const until = clock.now() + endedTurnMs
    const { brand } = request
    return { ...nothingSent, problem, deferral: { until, problem, transportId, brand } }
  }

  /** Whether bounces of a message may come back to Mailyard: a notification has no sender. */
  #mayReturn({ envelope }: DeliverRequest): boolean {
    return this.#options.returnPathOf !== undefined && envelope.from !== ''
  }

  /** Opens the transport of the route, waits for tokens of its limits, and sends. */
  async #sendLimited(
    request: DeliverRequest,
    to: readonly string[],
    gate?: Gate,
  ): Promise<DeliverReport> {
    const { deliveryLog } = this.#options
    const through = await this.#open(request, to.length, gate)
    if ('problem' in through) {
      const isDeferred = through.deferral !== undefined && through.limit === undefined
      const duplicates = isDeferred
        ? []
        : await deliveryLog.findDuplicates(recipientsOf(request, to))
      return { ...nothingSent, duplicates, ...through }
    }
    try {
      return await this.#send(request, to, through, gate)
    } finally {
      through.permit.release()
    }
  }

  /** Opens the transport of the route. If a limit with the overflow `next` is reached, opens the next transport of the route. */
  async #open(
    request: DeliverRequest,
    count: number,
    gate: Gate | undefined,
  ): Promise<LimitedTransport | TransportRefusal> {
    const { transportPool, limiter } = this.#options
    const { route: first, brand, limitWaitMs: waitMs = limitWaitMsDefault } = request
    let reached: TransportRefusal | undefined
    for (let route = first; ; ) {
      const openTransport = await transportPool.open(route)
      if ('problem' in openTransport) return reached ?? openTransport
      const { transportId } = openTransport
      const admitted = this.#holdCopy() ?? gate?.admit(openTransport, brand)
      const deferral = admitted instanceof Promise ? await admitted : admitted
      if (deferral !== undefined)
        return { problem: deferral.problem, deferral: { ...deferral, transportId, brand } }
      const waiting = { waitMs, signal: this.#stopping.signal }
      const acquiring = limiter.acquire({ transportId, brand, count }, waiting)
      const acquired = acquiring instanceof Promise ? await acquiring : acquiring
      if (acquired.granted) return { openTransport, permit: acquired.permit, route }
      const { problem, limit, overflow, freeAt: until } = acquired
      reached ??=
        overflow === 'refuse'
          ? { problem, limit }
          : { problem, limit, deferral: { until, problem, transportId, brand } }
      const next =
        overflow === 'next' && transportId !== null
          ? route.next?.(transportId, `limit "${limit.name}" is reached`)
          : undefined
      if (next === undefined) return reached
      route = next
    }
  }

  /** A copy of a database sends nothing until a person confirms it. */
  #holdCopy(): Deferral | undefined {
    const { installation, clock } = this.#options
    const { problem } = installation
    return problem === undefined ? undefined : { until: clock.now(), problem }
  }

  /** Logs the start, sends through an open transport with the permission of its limits, and logs the end. */
  async #send(
    request: DeliverRequest,
    to: readonly string[],
    { openTransport, permit, route }: LimitedTransport,
    gate: Gate | undefined,
  ): Promise<DeliverReport> {
    const { deliveryLog, bounces, throttles } = this.#options
    const { transportId, name: transport } = openTransport
    const { raw, subject } = await request.compose()
    const elapsedMs = startStopwatch()
    const { results, flushed, isLeaseValid } = await deliveryLog.start(
      newDelivery(request, to, { route, transportId, transport, subject }),
    )
    const attempts = results.filter((each) => each.state === 'started')
    const duplicates = results.filter((each) => each.state === 'duplicate')
    if (attempts.length === 0) return { ...nothingSent, duplicates }
    permit.giveBack(duplicates.length)
    const envelope = { ...request.envelope, to: attempts.map(({ address }) => address) }
    const returnPath = this.#returnPathOf(request, attempts, openTransport)
    gate?.startSending(elapsedMs())
    const result = await openTransport.send(
      { envelope, raw },
      {
        source: request.source,
        submitter: request.brand,
        signal: this.#stopping.signal,
        ready: flushed,
        returnPath,
        onGuarded: (count) => permit.giveBack(count),
        beforeMessage: () => permit.confirm(),
        isLeaseValid: () => isLeaseValid() && permit.begin(),
      },
    )
    // Without its lease, another process may have sent the message.
    const isTooLate = result.fault?.code === 'lease_expired' && isLeaseValid()
    permit.release()
    this.#noteSender(request, transportId, returnPath)
    // The caller gets the result even while the database is lost.
    const written = deliveryLog.finish(attempts, result)
    throttles.of(openTransport).noteResult(result)
    // The client may repeat the message at once: then a bounced address is suppressed already.
    const recording = bounces.record({ request, route, transportId, attempts, result, written })
    const [, bounced = []] = (await within(writeWaitMs, Promise.all([written, recording]))) ?? []
    const deliveryIds = attempts.map(({ id }) => id)
    const retryAt = isTooLate ? this.#options.clock.now() + endedTurnMs : undefined
    return {
      ...nothingSent,
      sent: [{ result, retryAt }],
      duplicates,
      bounced,
      started: { deliveryIds, transportId, transport, brand: request.brand },
    }
  }

  /** A return path is that of one recipient: a limit may have led from a transport without them to this one. */
  #returnPathOf(
    request: DeliverRequest,
    [attempt, ...others]: readonly StartedAttempt[],
    { hasReturnPath }: OpenTransport,
  ): string | undefined {
    const isSigned = hasReturnPath && others.length === 0 && this.#mayReturn(request)
    if (!isSigned || attempt === undefined) return undefined
    return this.#options.returnPathOf?.({ id: attempt.id, started_at: attempt.startedAt })
  }

  #noteSender(
    request: DeliverRequest,
    transportId: number | null,
    returnPath: string | undefined,
  ): void {
    const { envelope, from, brand } = request
    const domain = domainOf(from ?? envelope.from)
    if (domain === '') return
    const envelopeDomain = domainOf(returnPath ?? envelope.from)
    this.#options.noteSender?.({ domain, envelopeDomain, transportId, brand })
  }

  #findSuppressions(request: DeliverRequest) {
    const { envelope, from = envelope.from, brand, isBulk = false, list } = request
    return this.#options.findSuppressions({
      recipients: envelope.to,
      senderDomains: [domainOf(from), domainOf(envelope.from)],
      brand,
      isBulk,
      list,
    })
  }

  /**
   * Finds the recipients that are not suppressed. The suppressed ones get a row in the delivery log; those of the others who
   * got the message before are duplicates, and not logged.
   */
  async #withhold(
    request: DeliverRequest,
    suppressions: ReadonlyMap<string, Suppression>,
  ): Promise<
    Pick<DeliverReport, 'suppressed' | 'undecided' | 'duplicates'> & { to: readonly string[] }
  > {
    const { envelope } = request
    const withheld = envelope.to.flatMap((address) => {
      const suppression = suppressions.get(emailKey(address))
      if (suppression === undefined) return []
      return [{ address, suppression, reason: describeSuppression(suppression) }]
    })
    const addresses = withheld.map(({ address }) => address)
    const duplicates = await this.#options.deliveryLog.findDuplicates(
      recipientsOf(request, addresses),
    )
    const had = new Set(duplicates.map(({ address }) => address))
    const { suppressed = [], undecided = [] } = Object.groupBy(
      withheld.filter(({ address }) => !had.has(address)),
      ({ suppression }) => (suppression.unanswered === undefined ? 'suppressed' : 'undecided'),
    )
    await this.#logSuppressed(request, suppressed)
    const to = envelope.to.filter((address) => !addresses.includes(address))
    return { to, suppressed, undecided, duplicates }
  }

  async #logSuppressed(
    request: DeliverRequest,
    suppressed: readonly SuppressedRecipient[],
  ): Promise<void> {
    const { deliveryLog, onUnattempted } = this.#options
    const unlogged = suppressed.filter(({ address }) => !this.#isRepeated(request, address))
    if (unlogged.length === 0) return
    const { subject, route } = request
    const through = { route, transportId: null, transport: null, subject }
    const delivery = newDelivery(request, [], through)
    await deliveryLog.recordSuppressed(delivery, unlogged)
    const { source, brand: brand_id } = delivery
    for (const _ of unlogged) onUnattempted?.({ source, brand_id, outcome: 'suppressed' })
  }

  /** Whether the same email of a Mautic to this address was logged as suppressed a moment ago. */
  #isRepeated({ source, caller, emailId }: DeliverRequest, address: string): boolean {
    if (source !== 'smtp' || emailId === null) return false
    const key = JSON.stringify([caller, emailId, emailKey(address)])
    if (this.#logged.get(key) === true) return true
    this.#logged.set(key, true)
    return false
  }
}

/** Combines the reports of single recipients. Why one was not sent to counts for all of these. */
function combine(reports: readonly DeliverReport[]): DeliverReport {
  const started = reports.flatMap((report) => report.started ?? [])
  const [first] = started
  const deliveryIds = started.flatMap((each) => each.deliveryIds)
  return {
    ...(reports.find(({ problem }) => problem !== undefined) ?? nothingSent),
    sent: reports.flatMap(({ sent }) => sent),
    duplicates: reports.flatMap(({ duplicates }) => duplicates),
    bounced: reports.flatMap(({ bounced }) => bounced),
    started: first && { ...first, deliveryIds },
  }
}

function recipientsOf(
  { keysOf }: Pick<DeliverRequest, 'keysOf'>,
  addresses: readonly string[],
): LoggedRecipient[] {
  return addresses.map((address) => ({ address, ...keysOf(address) }))
}

function newDelivery(
  request: DeliverRequest,
  to: readonly string[],
  {
    route,
    ...through
  }: Pick<NewDelivery, 'transportId' | 'transport' | 'subject'> & { route: Route },
): NewDelivery {
  return {
    source: request.source,
    caller: request.caller,
    mauticId: request.mauticId,
    brand: request.brand,
    isBulk: request.isBulk,
    emailId: request.emailId,
    contactId: request.contactId,
    sender: request.envelope.from,
    recipients: recipientsOf(request, to),
    ...through,
    trace: route.trace,
    messageId: request.messageId,
    requestHash: request.requestHash,
  }
}
