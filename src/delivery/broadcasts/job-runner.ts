import type { EmailRow } from '../../emails/index.ts'
import type { Clock } from '../../kit/clock.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { Limiter, Permit } from '../../limits/index.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { FindRefusal, Links } from '../../messages/index.ts'
import {
  createLineEncoder,
  type EmailRenderer,
  findNamedTransport,
  readHeaders,
} from '../../messages/index.ts'
import type { ResolveRoute, Route } from '../../routing/index.ts'
import { domainOf, type FindSuppressions } from '../../suppressions/index.ts'
import type { DeliveryIntervals } from '../intervals.ts'
import { describeSuppression } from '../suppressed/suppressed-recipient.ts'
import type { TransportPool } from '../transport-pool.ts'
import type { OwnerTransport, PermittedMessage, UnsentRecipient } from './attempt.ts'
import type { BroadcastState } from './broadcast-store.ts'
import { ClaimBuffer } from './claim-buffer.ts'
import type { Claim } from './claims.ts'
import type { RenderMarks } from './render-marks.ts'
import { type RenderedMessage, renderMessage, type Unrenderable } from './render-message.ts'
import { isWithdrawn, type TransportThrottles } from './transport-throttle.ts'

export interface JobRunnerParts {
  clock: Clock
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
  intervals: DeliveryIntervals
  transportPool: TransportPool
  throttles: TransportThrottles
  limiter: Pick<Limiter, 'tryAcquire' | 'findFull'>
  /** Called when messages that waited for tokens of a limit may be sent. */
  onTokens: () => void
  resolveRoute: ResolveRoute
  renderMarks: Pick<RenderMarks, 'set' | 'findOthers'>
  /** Returns undefined if the email was deleted. */
  findEmail: (id: number) => Promise<EmailRow | undefined>
  prepareEmail: (email: EmailRow) => Promise<EmailRenderer>
  findRefusal: FindRefusal
  findSuppressions: FindSuppressions
}

/** Takes what a runner decides about its claims: each is sent, ended without an attempt, or returned to the queue. */
export interface Outbox {
  /** Whether it takes no more messages for now. */
  readonly isFull: boolean
  send(message: PermittedMessage): void
  end(unsent: UnsentRecipient): void
  release(claims: readonly Claim[], dueAt: number): void
}

/** Why a broadcast cannot be sent until a person acts. */
export interface BroadcastStop {
  state: 'paused' | 'cancelled'
  problem: string
}

/** An email whose batch takes longer is marked in the database each time it is rendered. */
const slowMs = 100
/** The back-off of a broadcast without a usable transport. */
const noTransportMs = 3_000
/** The same, while the whole queue is searched for contacts with a usable transport. */
const searchMs = 15_000
/** The longest back-off of contacts whose transport is unavailable: a person may fix it. */
const unavailableMs = 60_000
/** The back-off after an unexpected error, which doubles each time; the contact that caused it waits the longest time. */
const firstErrorMs = 1_000
const longestErrorMs = 300_000
const errorProblem =
  'An unexpected error occurred in Mailyard; its log has the details. The broadcast is retried.'
/** After so many failures to render in a row, the email is considered faulty. */
const unrenderableMax = 10

/** The transport of an owner's contacts or why there is none, and whether other owners may have another. */
type FoundTransport = (OwnerTransport | { problem: string }) & { isOwners: boolean }

/** Why the contacts of an owner cannot be sent to, and until when. */
interface Blocked {
  problem: string
  until: number
  isOwners: boolean
}

/** What is needed to render messages of one owner's contacts. */
interface RenderContext {
  through: OwnerTransport
  renderer: EmailRenderer
  outbox: Outbox
}

/**
 * Sends one broadcast in this process: it holds claimed recipients, finds their transports and renders their messages.
 * It gives all claims to the worker's `Outbox`, and never writes itself.
 */
export class JobRunner {
  state: BroadcastState
  readonly claimBuffer = new ClaimBuffer()
  /** Its messages that are being sent and are not settled. */
  inFlight = 0
  /** Whether no recipient is due, as far as is known. */
  hasNothingDue = false
  /** The worker does not advance it before this time. */
  backOffUntil = 0
  /** Why nothing is sent; null while something is, undefined while it is not known. */
  problem: string | null | undefined
  readonly #parts: JobRunnerParts
  readonly #transports = new Map<number | null, { found: FoundTransport; readAt: number }>()
  #renderer: { renderer: EmailRenderer; readAt: number; transport: string | undefined } | undefined
  #unrenderable: Unrenderable[] = []
  #lastMessageAt = performance.now()
  readonly #encode = createLineEncoder()
  readonly #checkedAt = new WeakMap<Claim, number>()
  #errors = 0
  #wasSlow = false

  constructor(state: BroadcastState, parts: JobRunnerParts) {
    this.state = state
    this.#parts = parts
  }

  /** Adds new claims, which replace older claims of the same contacts. */
  addClaims(claims: readonly Claim[]): void {
    const contactIds = new Set(claims.map(({ contactId }) => contactId))
    this.#unrenderable = this.#unrenderable.filter(({ claim }) => !contactIds.has(claim.contactId))
    this.claimBuffer.put(claims)
  }

  /** Renders and sends what may be sent now. Returns why the broadcast must stop, if it must. */
  async sendMessages(outbox: Outbox): Promise<BroadcastStop | undefined> {
    if (this.claimBuffer.size === 0) return undefined
    if (!this.#needsMark()) return this.#sendMessages(outbox)
    await this.#parts.renderMarks.set(this.state.id)
    const startedAt = performance.now()
    try {
      return await this.#sendMessages(outbox)
    } finally {
      this.#wasSlow = performance.now() - startedAt > slowMs
      await this.#parts.renderMarks.set(null)
    }
  }

  /** Refuses the recipients whose message could not be rendered: the email is not at fault. */
  refuseUnrenderable(outbox: Outbox): void {
    for (const each of this.#unrenderable) this.#refuse(each, outbox)
    this.#unrenderable = []
  }

  #refuse({ claim, reason }: Unrenderable, outbox: Outbox): void {
    outbox.end({ claim, broadcast: this.state, outcome: 'refused', reason, from: '' })
  }

  /** Notes why a message was not accepted, if its transport is at fault. */
  noteResult(result: DeliveryResult): void {
    if (isWithdrawn(result)) return
    this.problem = result.fault?.scope === 'member' ? result.fault.message : null
  }

  /** Backs off after an unexpected error, longer each time, and releases all claims. */
  backOff(outbox: Outbox): void {
    const waitMs = Math.min(firstErrorMs * 2 ** this.#errors, longestErrorMs)
    this.#errors += 1
    this.#waitUntil(this.#parts.clock.now() + waitMs, errorProblem, outbox)
  }

  /** Takes all claims whose messages are not being sent. */
  takeClaims(): Claim[] {
    const unrenderable = this.#unrenderable.map(({ claim }) => claim)
    this.#unrenderable = []
    return [...this.claimBuffer.takeAll(), ...unrenderable]
  }

  /**
   * Whether rendering may end this process: the email was not rendered here yet, or is slow. An email that becomes
   * dangerous later ends one process unmarked, and is marked in the next.
   */
  #needsMark(): boolean {
    return this.#wasSlow || this.#renderer === undefined
  }

  async #sendMessages(outbox: Outbox): Promise<BroadcastStop | undefined> {
    const renderer = await this.#findRenderer()
    if ('state' in renderer) return renderer
    if ('problem' in renderer) {
      this.#waitUntil(
        this.#parts.clock.now() + this.#parts.intervals.freshMs,
        renderer.problem,
        outbox,
      )
      return undefined
    }
    await this.#withhold(renderer, outbox)
    const blocked = new Map<number | null, Blocked>()
    for (const owner of this.claimBuffer.owners) {
      const found = await this.#findTransport(owner)
      const problem = this.#problemOf(found)
      if (problem !== undefined) blocked.set(owner, problem)
      else if ('openTransport' in found) {
        const stop = this.#renderAll(owner, { through: found, renderer, outbox })
        if (stop !== undefined) return stop
      }
    }
    this.#releaseBlocked(blocked, outbox)
    return undefined
  }

  /** Ends the recipients whose address is suppressed. A claim that waited is looked up again. */
  async #withhold({ from }: EmailRenderer, outbox: Outbox): Promise<void> {
    const now = performance.now()
    const { freshMs } = this.#parts.intervals
    const unchecked = this.claimBuffer.claims.filter((claim) => {
      const checkedAt = this.#checkedAt.get(claim)
      return claim.contact?.email && (checkedAt === undefined || now - checkedAt > freshMs)
    })
    if (unchecked.length === 0) return
    const addressOf = ({ contact }: Claim) => contact?.email ?? ''
    const found = await this.#parts.findSuppressions({
      recipients: unchecked.map(addressOf),
      senderDomains: [domainOf(from)],
      isBulk: true,
    })
    const suppressed = new Set<Claim>()
    for (const claim of unchecked) {
      const suppression = found.get(emailKey(addressOf(claim)))
      this.#checkedAt.set(claim, now)
      if (suppression === undefined) continue
      suppressed.add(claim)
      const why = { outcome: 'suppressed' as const, reason: describeSuppression(suppression) }
      outbox.end({ claim, broadcast: this.state, from, ...why })
    }
    if (suppressed.size > 0) this.claimBuffer.remove(suppressed)
  }

  /** Renders messages to an owner's contacts while their transport has capacity and tokens of its limits. */
  #renderAll(owner: number | null, context: RenderContext): BroadcastStop | undefined {
    const { through, outbox } = context
    const { openTransport, throttle } = through
    const { limiter, onTokens } = this.#parts
    const hasCapacity = () => throttle.capacity(openTransport.transport.load()) > 0
    while (!outbox.isFull && hasCapacity()) {
      const permit = limiter.tryAcquire({ ...openTransport, count: 1 }, onTokens)
      const claim = permit && this.claimBuffer.take(owner)
      if (permit === undefined || claim === undefined) {
        permit?.release()
        return undefined
      }
      const rendered = this.#render(claim, { ...context, permit })
      if ('message' in rendered) {
        this.refuseUnrenderable(outbox)
        throttle.reserve()
        outbox.send({ ...rendered, broadcast: this.state, through, permit })
        this.#lastMessageAt = performance.now()
        this.#errors = 0
      } else if (rendered.isOfEmail) {
        this.#unrenderable.push(rendered)
        if (this.#unrenderable.length >= unrenderableMax)
          return { state: 'paused', problem: rendered.reason }
      } else this.#refuse(rendered, outbox)
    }
    return undefined
  }

  /** After an unexpected error, the contact that caused it goes behind the others. */
  #render(
    claim: Claim,
    { renderer, outbox, permit }: RenderContext & { permit: Permit },
  ): RenderedMessage | Unrenderable {
    const { clock, links } = this.#parts
    try {
      const about = { broadcast: this.state, renderer, encode: this.#encode, clock, links }
      const rendered = renderMessage(claim, about)
      if (!('message' in rendered)) permit.release()
      return rendered
    } catch (error) {
      permit.release()
      outbox.release([claim], clock.now() + longestErrorMs)
      throw error
    }
  }

  #problemOf(found: FoundTransport): Blocked | undefined {
    const now = this.#parts.clock.now()
    const { isOwners } = found
    if ('problem' in found) return { problem: found.problem, until: now + noTransportMs, isOwners }
    const full = this.#parts.limiter.findFull(found.openTransport.transportId)
    if (full !== undefined) return { problem: full.problem, until: full.freeAt, isOwners }
    const { unavailableUntil: until, problem } = found.throttle
    return until > now && problem !== undefined ? { problem, until, isOwners } : undefined
  }

  /**
   * Releases contacts without a usable transport, so that others are claimed. If all contacts have the same transport,
   * the whole broadcast backs off instead; only briefly, because a person may fix it.
   */
  #releaseBlocked(blocked: Map<number | null, Blocked>, outbox: Outbox): void {
    const [first] = blocked.values()
    if (first === undefined) {
      this.#releaseForOthers(outbox)
      return
    }
    const isUsable = (found: FoundTransport) => this.#problemOf(found) === undefined
    const hasOthers = [...this.#transports.values()].some(({ found }) => isUsable(found))
    const now = this.#parts.clock.now()
    if (!hasOthers && !first.isOwners) {
      this.#waitUntil(Math.min(first.until, now + noTransportMs), first.problem, outbox)
      return
    }
    this.problem = first.problem
    const earliest = hasOthers ? 0 : now + searchMs
    for (const [owner, { until }] of blocked) {
      const dueAt = Math.max(Math.min(until, now + unavailableMs), earliest)
      outbox.release(this.claimBuffer.takeAll(owner), dueAt)
    }
  }

  /** Releases the contacts of a slow transport that fill the buffer, so that contacts of others are claimed. */
  #releaseForOthers(outbox: Outbox): void {
    const isStuck = performance.now() - this.#lastMessageAt >= this.#parts.intervals.freshMs
    if (!this.claimBuffer.isFull || !isStuck) return
    const throttles = new Set(
      [...this.#transports.values()].map(({ found }) => 'throttle' in found && found.throttle),
    )
    if (throttles.size < 2) return
    outbox.release(this.claimBuffer.takeAll(), this.#parts.clock.now() + noTransportMs)
  }

  #waitUntil(until: number, problem: string, outbox: Outbox): void {
    this.problem = problem
    this.backOffUntil = until
    outbox.release(this.takeClaims(), this.#parts.clock.now())
  }

  #isFresh({ readAt }: { readAt: number }): boolean {
    return performance.now() - readAt < this.#parts.intervals.freshMs
  }

  async #findRenderer(): Promise<EmailRenderer | BroadcastStop | { problem: string }> {
    const readAt = performance.now()
    const cached = this.#renderer
    if (cached !== undefined && this.#isFresh(cached)) return cached.renderer
    const email = await this.#parts.findEmail(this.state.email_id)
    if (email === undefined) return { state: 'cancelled', problem: 'The email was deleted.' }
    if (!email.is_published) return { problem: 'The email is not published.' }
    const refusal = await this.#parts.findRefusal(email)
    if (refusal !== undefined) return { state: 'paused', problem: refusal.message }
    const renderer = await this.#parts.prepareEmail(email)
    // It is the same for every contact: an email whose header depends on the contact is refused above.
    const transport = findNamedTransport(readHeaders(email.headers))
    this.#renderer = { renderer, readAt, transport }
    return renderer
  }

  async #findTransport(owner: number | null): Promise<FoundTransport> {
    const readAt = performance.now()
    const cached = this.#transports.get(owner)
    if (cached !== undefined && this.#isFresh(cached)) return cached.found
    const { resolveRoute, transportPool, throttles } = this.#parts
    const emailId = this.state.email_id
    const transport = this.#renderer?.transport
    const question = { transport, emailId, ownerId: owner ?? undefined }
    const route = this.#withoutFull(await resolveRoute(question))
    const openTransport = await transportPool.open(route)
    const isOwners = route.trace.some(({ source }) => source === 'owner')
    const found =
      'problem' in openTransport
        ? { ...openTransport, isOwners }
        : {
            openTransport,
            throttle: throttles.of(openTransport),
            route,
            isOwners,
          }
    this.#transports.set(owner, { found, readAt })
    return found
  }

  /** Takes the next step of a route while the limit of its transport is reached and says so. */
  #withoutFull(first: Route): Route {
    let route = first
    for (;;) {
      const { target } = route
      const full =
        target.kind === 'transport' ? this.#parts.limiter.findFull(target.row.id) : undefined
      const isSkipped = target.kind === 'transport' && full?.overflow === 'next'
      const next = isSkipped && route.next?.(target.row.id, `limit "${full.limit.name}" is reached`)
      if (!next) return route.target.kind === 'none' ? first : route
      route = next
    }
  }
}
