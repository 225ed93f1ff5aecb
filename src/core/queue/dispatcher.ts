import type { Log } from '../../kit/log.ts'
import { Semaphore } from '../../kit/semaphore.ts'
import { Alarm } from '../../kit/timers.ts'
import { WorkLoop } from '../../kit/work-loop.ts'
import type { Installation } from '../../platform/installation/index.ts'
import type {
  DeliveryIntervals,
  Lane,
  NewSubmission,
  RecipientReport,
  Submission,
  SubmissionDeliverer,
} from '../delivery/index.ts'
import {
  noTransport,
  openRetriedWrites,
  type RetriedWrites,
  readSubmission,
} from '../delivery/index.ts'
import { QueueGate, type QueueGateParts } from './queue-gate.ts'
import {
  type ClaimedRecipient,
  largeMessageBytes,
  type MessageFacts,
  type QueuedMessage,
  type QueueStore,
} from './queue-store.ts'
import type { RecipientSettler } from './recipient-settler.ts'
import { waitsForOf } from './retry-schedule.ts'
import type { RouteWaker } from './route-waker.ts'
import type { MessageBodies } from './store-message.ts'
import { type Place, TransportShares } from './transport-shares.ts'

export interface DispatcherOptions extends QueueGateParts {
  store: QueueStore
  bodies: MessageBodies
  submissionDeliverer: Pick<SubmissionDeliverer, 'deliver'>
  settler: Pick<RecipientSettler, 'settle'>
  waker: Pick<RouteWaker, 'changes' | 'expectAnswer' | 'noteWaiting'>
  /** While it is not confirmed, nothing is claimed. */
  installation: Pick<Installation, 'unconfirmed'>
  log: Log
  intervals: Pick<DeliveryIntervals, 'idleMs'>
  /** How long it waits for `wake` at most: another process may make messages due without it. */
  pollMs: number
}

/** What all recipients of an attempt have in common. */
type Common = Pick<ClaimedRecipient, 'brake_id' | 'decided_by'> | undefined

/** The share of bulk messages where messages of both lanes are due. */
const bulkShare = 0.2
const largeAtOnce = 3
/** It looks again for a claim whose connection was lost after 10, 100 and 1,000 idle waits: a slow server commits it late. */
const lateWaitsMax = 1_000
/** How long `stop` waits for a lost database. */
const stopWaitMs = 15_000

/**
 * Sends what waits in the queue, concurrently with the dispatchers of other processes. It claims due recipients transport by
 * transport, each up to its share, so that a slow transport holds up no other: transactional messages first, and a fifth for
 * bulk messages.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  /** The work in progress, with the recipients that it settles. */
  readonly #inFlight = new Map<Promise<void>, readonly ClaimedRecipient[]>()
  readonly #shares: TransportShares
  readonly #large = new Semaphore({ permits: largeAtOnce })
  readonly #settling: RetriedWrites
  readonly #loop: WorkLoop
  /** The values of `transport_id` that may have due recipients which are not claimed. */
  readonly #backlog = new Set<number>([noTransport])
  /** When the next recipient is due, if that is known. */
  #nextAt = 0
  /** Whether the answer to a claim was lost: recipients may be claimed that this process does not know. */
  #hasLostClaims = false
  /** How many idle waits the next look for it is away. */
  #lateWaits = 1
  readonly #lateLook = new Alarm(() => this.#lookForLostClaim())

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#shares = new TransportShares(options.throttles, () => {
      if (this.#canClaim) this.#loop.wake()
    })
    this.#loop = new WorkLoop({
      work: () => this.#work(),
      running: () => this.#inFlight.keys(),
      idleMs: options.intervals.idleMs,
      log: options.log,
      events: { failed: 'queue dispatcher interrupted', recovered: 'queue dispatcher resumed' },
    })
    this.#settling = openRetriedWrites(options.log, {
      failed: 'outcomes of queued messages not written',
      recovered: 'outcomes of queued messages written again',
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Makes it look for due recipients immediately. */
  wake(): void {
    this.#backlog.add(noTransport)
    this.#loop.wake()
  }

  /** Makes it look when a recipient is due. */
  expect(dueAt: number): void {
    if (dueAt < this.#nextAt) this.#loop.wake()
  }

  /** Whether a new message can be sent now, without waiting for other new messages in the queue. */
  canSend({ message }: Submission): boolean {
    const isSmall = message.sizeBytes <= largeMessageBytes
    const isFirst = !this.#backlog.has(noTransport)
    const isConfirmed = this.#options.installation.unconfirmed === undefined
    const canStart = isConfirmed && !this.#loop.isStopped
    return isSmall && isFirst && canStart && this.#shares.isHalfFree
  }

  /** Resolves when nothing is due or in flight any more: whether something was. */
  idle(): Promise<boolean> {
    return this.#loop.idle()
  }

  /** Stops claiming and waits for messages in flight. */
  async stop(): Promise<void> {
    const stopped = this.#loop.stop()
    this.#options.throttles.stop()
    await stopped
    // If the database is lost, another process recovers the outcomes from the delivery log.
    const timeout = new Alarm(() => this.#settling.close()).set(stopWaitMs)
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight.keys())
    timeout.cancel()
    this.#lateLook.cancel()
    this.#settling.close()
    await this.#options.store.releaseClaims().catch((err: unknown) => {
      this.#options.log.warn({ err }, 'queue claims not released')
    })
  }

  /** Waits for the answer to a claim. If it is lost, the claim is released now, and later, when the server may have committed it. */
  async claiming<Result>(claim: Promise<Result>): Promise<Result> {
    try {
      return await claim
    } catch (error) {
      this.#lateWaits = 1
      this.#lookForLostClaim()
      throw error
    }
  }

  /** Sends a new message, which is in memory, to recipients that this process has claimed. */
  sendNew(
    message: MessageFacts,
    recipients: readonly ClaimedRecipient[],
    submission: Submission,
  ): void {
    const addresses = recipients.map(({ address }) => address)
    const claimed = { ...submission, recipients: addresses, reserve: noReservation }
    const place = this.#shares.take()
    const deliver = () => this.#deliver(message, place, { submission: claimed })
    this.#track(recipients, this.#settleAll(message, recipients, deliver), place)
  }

  /** Records the reports of an attempt that was started elsewhere, once they are there. */
  adopt(
    message: MessageFacts,
    recipients: readonly ClaimedRecipient[],
    { reports, changes }: { reports: Promise<readonly RecipientReport[]>; changes: number },
  ): void {
    const settled = this.#settleAll(message, recipients, () => reports, changes)
    this.#track(recipients, settled)
  }

  #track(recipients: readonly ClaimedRecipient[], work: Promise<void>, place?: Place): void {
    const tracked = work.finally(() => {
      place?.release()
      this.#inFlight.delete(tracked)
    })
    this.#inFlight.set(tracked, recipients)
  }

  get #canClaim(): boolean {
    return [...this.#backlog].some((transportId) => this.#shares.claimable(transportId) > 0)
  }

  async #work(): Promise<number> {
    if (this.#hasLostClaims) await this.#releaseLostClaims()
    const { installation, intervals } = this.#options
    return installation.unconfirmed === undefined ? this.#claimAll() : intervals.idleMs
  }

  #lookForLostClaim(): void {
    this.#hasLostClaims = true
    this.wake()
    this.#lateWaits *= 10
    // A process that ends waits for no alarm: others recover what it has claimed.
    if (this.#lateWaits <= lateWaitsMax && !this.#loop.isStopped)
      this.#lateLook.set(this.#lateWaits * this.#options.intervals.idleMs)
  }

  /** A claim whose answer is on its way may be released too: the delivery log keeps its message from being sent twice. */
  async #releaseLostClaims(): Promise<void> {
    this.#hasLostClaims = false
    const known = [...this.#inFlight.values()].flat().map(({ id }) => id)
    await this.claiming(this.#options.store.releaseClaims(known))
  }

  /** Claims what is due, where a transport has a share left. Returns how long to wait; 0 if more may be claimed. */
  async #claimAll(): Promise<number> {
    const { store, clock, intervals, pollMs } = this.#options
    this.#backlog.clear()
    const { lanesByTransport, nextAt = Number.POSITIVE_INFINITY } = await store.findDue(clock.now())
    this.#nextAt = nextAt
    let looksAgain = false
    for (const [transportId, lanes] of lanesByTransport) {
      if (this.#loop.isStopped) break
      const free = this.#shares.claimable(transportId)
      const claimed = free === 0 ? 0 : await this.#claimLanes(transportId, lanes, free)
      if (claimed >= free) this.#backlog.add(transportId)
      else if (claimed > 0) looksAgain = true
    }
    if (looksAgain || this.#canClaim) return 0
    const longestMs = lanesByTransport.size === 0 ? pollMs : intervals.idleMs
    return Math.min(Math.max(1, nextAt - clock.now()), longestMs)
  }

  /** Claims in the lanes where something is due, transactional messages first. Returns the number of messages. */
  async #claimLanes(transportId: number, lanes: readonly Lane[], free: number): Promise<number> {
    const reserved = lanes.length > 1 ? Math.max(1, Math.floor(free * bulkShare)) : 0
    const first = lanes.includes('transactional')
      ? await this.#claim(transportId, 'transactional', Math.max(1, free - reserved))
      : 0
    if (!lanes.includes('bulk')) return first
    return first + (await this.#claim(transportId, 'bulk', Math.max(1, free - first)))
  }

  /** Claims recipients and starts to send; returns the number of messages. */
  async #claim(transportId: number, lane: Lane, limit: number): Promise<number> {
    const { store, clock } = this.#options
    const claimed = await this.claiming(store.claim({ transportId, lane, limit }, clock.now()))
    if (claimed.length === 0) return 0
    const byMessage = Map.groupBy(claimed, (recipient) => recipient.message_id)
    const messages = await this.claiming(store.findMessages([...byMessage.keys()]))
    for (const each of messages) {
      const recipients = byMessage.get(each.message.id) ?? []
      const alike = Map.groupBy(recipients, (each) => `${each.brake_id} ${each.decided_by}`)
      for (const some of alike.values()) this.#send(each, some)
    }
    return messages.length
  }

  /** Sends a stored message to recipients that this process has claimed. */
  #send(queued: QueuedMessage, recipients: readonly ClaimedRecipient[]): void {
    const place = this.#shares.take(recipients[0]?.transport_id ?? noTransport)
    this.#track(recipients, this.#attempt(queued, recipients, place), place)
  }

  async #attempt(
    { message, body }: QueuedMessage,
    recipients: readonly ClaimedRecipient[],
    place: Place,
  ): Promise<void> {
    const release = body === undefined ? await this.#large.acquire() : undefined
    try {
      await this.#settleAll(message, recipients, async () => {
        const { bodies, store } = this.#options
        const opened = await bodies.open(body ?? (await store.getBody(message.id)))
        const submission = readSubmission(submissionOf(message, recipients, opened))
        return this.#deliver(message, place, { submission, common: recipients[0] })
      })
    } finally {
      release?.()
    }
  }

  async #deliver(
    { lane, sender, mautic_id }: MessageFacts,
    place: Place,
    { submission, common }: { submission: Submission; common?: Common },
  ): Promise<readonly RecipientReport[]> {
    const { brake_id = null, decided_by: decidedBy = null } = common ?? {}
    try {
      return await this.#options.submissionDeliverer.deliver(submission, {
        gate: new QueueGate(this.#options, { lane, sender, mautic_id, brake_id }, place),
        decidedBy,
      })
    } finally {
      place.leave()
    }
  }

  /** Makes an attempt and records its result for each recipient; an attempt that throws is made again later. */
  async #settleAll(
    message: MessageFacts,
    recipients: readonly ClaimedRecipient[],
    attempt: () => Promise<readonly RecipientReport[]>,
    changes = this.#options.waker.changes,
  ): Promise<void> {
    const { settler, waker, log } = this.#options
    let reports: readonly RecipientReport[] = []
    let failure: unknown
    try {
      reports = await attempt()
    } catch (err) {
      failure = err
      log.warn({ err, queueId: message.id }, 'queued message not attempted')
    }
    const byAddress = new Map(reports.map((report) => [report.address, report]))
    const results = recipients.map((recipient) => {
      return { message, recipient, report: byAddress.get(recipient.address), failure }
    })
    this.expect(await settler.settle(message, results, this.#settling.run))
    for (const { recipient, report } of results) waker.expectAnswer(recipient.id, report)
    if (reports.some((report) => waitsForOf(report) !== null)) waker.noteWaiting(changes)
  }
}

/** The memory of a queued message is limited by the number of messages in flight. */
const noReservation = () => () => undefined

function submissionOf(
  message: MessageFacts,
  recipients: readonly ClaimedRecipient[],
  body: Uint8Array,
): NewSubmission {
  const { rendered } = message
  return {
    submitter: JSON.parse(message.submitter) as Submission['submitter'],
    sender: message.sender,
    recipients: recipients.map(({ address }) => address),
    rendered: rendered === null ? undefined : (JSON.parse(rendered) as Submission['rendered']),
    subject: rendered === null ? undefined : message.subject,
    chunks: [body],
    reserve: noReservation,
  }
}
