import type { EmailRow } from '../../emails/index.ts'
import type { Outlets } from '../outlets/outlets.ts'
import type { FindRefusal } from '../rendering/email-faults.ts'
import { type EmailRenderer, readHeaders } from '../rendering/email-renderer.ts'
import { createLineEncoder } from '../rendering/line-encoder.ts'
import { findNamedTransport } from '../rendering/named-transport.ts'
import type { FindWay } from '../way/find-way.ts'
import {
  type AttemptParts,
  type Exit,
  type ReadyMessage,
  refuseUnrenderable,
  renderMessage,
  type Unrenderable,
} from './attempt.ts'
import type { Claim } from './claims.ts'
import type { Lanes } from './lane.ts'
import type { JobOutcome } from './outcomes.ts'
import type { RenderMarks } from './render-marks.ts'
import type { SendingState } from './sending-store.ts'
import { Stock } from './stock.ts'

/** What the runs of sendings are made with. */
export interface RunParts extends AttemptParts {
  outlets: Outlets
  lanes: Lanes
  findWay: FindWay
  renderMarks: Pick<RenderMarks, 'set' | 'findOthers'>
  /** Undefined for an email that is gone. */
  findEmail: (id: number) => Promise<EmailRow | undefined>
  prepareEmail: (email: EmailRow) => Promise<EmailRenderer>
  findRefusal: FindRefusal
}

/** What one round of work is made of, over all sendings. */
export interface Round {
  ready: ReadyMessage[]
  outcomes: JobOutcome[]
  /** Claims to give back, and when they are due again. */
  returned: { claims: Claim[]; dueAt: number }[]
}

/** Why a sending cannot go on by itself. */
export interface Halt {
  status: 'paused' | 'cancelled'
  problem: string
}

/** So many messages are rendered in one round: it holds up everything else for some milliseconds. */
const roundSizeMax = 40
/** An email, its templates and the ways of its contacts are read anew so often. */
const freshMs = 500
/** A round of an email that takes so long is marked in the database while it is rendered, each time. */
const slowMs = 100
/** What has no way out is looked at again after so long. */
const holdMs = 3_000
/** The same, where the whole queue is gone through for those who have one. */
const searchMs = 15_000
/** Contacts whose transport is out go behind those of others for so long at most, since somebody may mend it. */
const asideMs = 60_000
/** After a fault of which nobody thought it is left alone for so long, longer each time; who met it, for the longest. */
const firstFaultMs = 1_000
const longestFaultMs = 300_000
const faultProblem =
  'Something went wrong in Mailyard itself, and its log says what. The sending is tried again.'
/** So many failures to render in a row are taken for a fault of the email. */
const unrenderableMax = 10

/** An exit, and whether contacts of other owners may have another. */
type FoundExit = (Exit | { problem: string }) & { isOwners: boolean }

/** Why contacts cannot leave, and until when they need not be looked at. */
interface Blocked {
  problem: string
  until: number
  isOwners: boolean
}

/** One sending, as this process works on it. */
export class Run {
  state: SendingState
  readonly stock = new Stock()
  /** How many of its messages have been handed over and are not settled. */
  underWay = 0
  /** Nothing of it is due as far as is known. */
  isDrained = false
  /** It is left alone until then. */
  heldUntil = 0
  /** Why it does not move; null while it does, undefined while nobody knows. */
  problem: string | null | undefined
  readonly #parts: RunParts
  readonly #exits = new Map<number | null, { found: FoundExit; readAt: number }>()
  #renderer: { renderer: EmailRenderer; readAt: number; transport: string | undefined } | undefined
  #unrenderable: Unrenderable[] = []
  #movedAt = performance.now()
  #faults = 0
  #wasSlow = false
  readonly #encode = createLineEncoder()

  constructor(state: SendingState, parts: RunParts) {
    this.state = state
    this.#parts = parts
  }

  /** Takes in what was claimed just now, in the place of what it has of the same contacts. */
  put(claims: readonly Claim[]): void {
    const contactIds = new Set(claims.map(({ contactId }) => contactId))
    this.#unrenderable = this.#unrenderable.filter(({ claim }) => !contactIds.has(claim.contactId))
    this.stock.put(claims)
  }

  /** Makes ready what may leave now. Returns why it cannot go on, where it cannot. */
  async fill(round: Round): Promise<Halt | undefined> {
    if (this.stock.size === 0) return undefined
    if (!this.#isDoubtful()) return this.#fill(round)
    await this.#parts.renderMarks.set(this.state.id)
    const startedAt = performance.now()
    try {
      return await this.#fill(round)
    } finally {
      this.#wasSlow = performance.now() - startedAt > slowMs
      await this.#parts.renderMarks.set(null)
    }
  }

  /**
   * Whether this process has yet to render its email, or does so slowly: it may be what ends this process. An email that
   * becomes deadly later ends it once unmarked, and is marked in the next process.
   */
  #isDoubtful(): boolean {
    return this.#wasSlow || this.#renderer === undefined
  }

  #isFresh(): boolean {
    return this.#renderer !== undefined && performance.now() - this.#renderer.readAt < freshMs
  }

  async #fill(round: Round): Promise<Halt | undefined> {
    const renderer = await this.#findRenderer()
    if ('status' in renderer) return renderer
    if ('problem' in renderer) {
      this.#hold(renderer.problem, this.#parts.clock.now() + freshMs, round)
      return undefined
    }
    const blocked = new Map<number | null, Blocked>()
    for (const owner of this.stock.owners) {
      const exit = await this.#findExit(owner)
      const problem = this.#problemOf(exit)
      if (problem !== undefined) blocked.set(owner, problem)
      else if ('outlet' in exit) {
        const halt = this.#take(owner, { exit, renderer, round })
        if (halt !== undefined) return halt
      }
    }
    this.#giveBack(blocked, round)
    return undefined
  }

  /** It met a fault of which nobody thought: it is left alone for a while, and gives back what it has claimed. */
  rest(round: Round): void {
    const waitMs = Math.min(firstFaultMs * 2 ** this.#faults, longestFaultMs)
    this.#faults += 1
    this.#hold(faultProblem, this.#parts.clock.now() + waitMs, round)
  }

  /** Nothing more is to come just now: what could not be rendered is refused. */
  refuseUnrenderable(round: Round): void {
    for (const each of this.#unrenderable)
      round.outcomes.push(refuseUnrenderable(each, this.state, this.#parts))
    this.#unrenderable = []
  }

  /** Everything that is claimed and was not begun. */
  takeClaims(): Claim[] {
    const aside = this.#unrenderable.map(({ claim }) => claim)
    this.#unrenderable = []
    return [...this.stock.takeAll(), ...aside]
  }

  #take(
    owner: number | null,
    { exit, renderer, round }: { exit: Exit; renderer: EmailRenderer; round: Round },
  ): Halt | undefined {
    const { outlet, lane } = exit
    while (round.ready.length < roundSizeMax && lane.room(outlet.transport.load()) > 0) {
      const claim = this.stock.take(owner)
      if (claim === undefined) return undefined
      const made = this.#render(claim, { exit, renderer, round })
      if ('message' in made) {
        this.refuseUnrenderable(round)
        lane.reserve()
        round.ready.push(made)
        this.#movedAt = performance.now()
        this.#faults = 0
      } else if (made.isOfEmail) {
        this.#unrenderable.push(made)
        if (this.#unrenderable.length >= unrenderableMax)
          return { status: 'paused', problem: made.reason }
      } else round.outcomes.push(refuseUnrenderable(made, this.state, this.#parts))
    }
    return undefined
  }

  /** Whoever meets a fault of which nobody thought goes behind the others. */
  #render(
    claim: Claim,
    { exit, renderer, round }: { exit: Exit; renderer: EmailRenderer; round: Round },
  ): ReadyMessage | Unrenderable {
    const { clock } = this.#parts
    try {
      const message = { sending: this.state, claim, exit }
      return renderMessage(message, { renderer, encode: this.#encode, clock })
    } catch (error) {
      round.returned.push({ claims: [claim], dueAt: clock.now() + longestFaultMs })
      throw error
    }
  }

  #problemOf(exit: FoundExit): Blocked | undefined {
    const now = this.#parts.clock.now()
    const { isOwners } = exit
    if ('problem' in exit) return { problem: exit.problem, until: now + holdMs, isOwners }
    const { outUntil: until, problem } = exit.lane
    return until > now && problem !== undefined ? { problem, until, isOwners } : undefined
  }

  /**
   * Contacts whose transport is of no use make room for others. Where all have the same, the whole sending
   * waits, so it does not go through its queue in vain; not for long, since somebody may mend it.
   */
  #giveBack(blocked: Map<number | null, Blocked>, round: Round): void {
    const [first] = blocked.values()
    if (first === undefined) {
      this.#shareRoom(round)
      return
    }
    const isOpen = (found: FoundExit) => this.#problemOf(found) === undefined
    const hasOthers = [...this.#exits.values()].some(({ found }) => isOpen(found))
    const now = this.#parts.clock.now()
    if (!hasOthers && !first.isOwners) {
      this.#hold(first.problem, Math.min(first.until, now + holdMs), round)
      return
    }
    this.problem = first.problem
    const atLeast = hasOthers ? 0 : now + searchMs
    for (const [owner, { until }] of blocked) {
      const dueAt = Math.max(Math.min(until, now + asideMs), atLeast)
      round.returned.push({ claims: this.stock.takeAll(owner), dueAt })
    }
  }

  /** Contacts of a slow transport that fill the stock make room for those of others. */
  #shareRoom(round: Round): void {
    if (!this.stock.isFull || performance.now() - this.#movedAt < freshMs) return
    const lanes = new Set(
      [...this.#exits.values()].map(({ found }) => 'lane' in found && found.lane),
    )
    if (lanes.size < 2) return
    const dueAt = this.#parts.clock.now() + holdMs
    round.returned.push({ claims: this.stock.takeAll(), dueAt })
  }

  #hold(problem: string, until: number, round: Round): void {
    this.problem = problem
    this.heldUntil = until
    round.returned.push({ claims: this.takeClaims(), dueAt: this.#parts.clock.now() })
  }

  async #findRenderer(): Promise<EmailRenderer | Halt | { problem: string }> {
    const readAt = performance.now()
    if (this.#renderer !== undefined && this.#isFresh()) return this.#renderer.renderer
    const email = await this.#parts.findEmail(this.state.email_id)
    if (email === undefined) return { status: 'cancelled', problem: 'The email was deleted.' }
    if (!email.is_published) return { problem: 'The email is not published.' }
    const refusal = await this.#parts.findRefusal(email)
    if (refusal !== undefined) return { status: 'paused', problem: refusal.message }
    const renderer = await this.#parts.prepareEmail(email)
    // It is the same for every contact: another is refused above.
    const transport = findNamedTransport(readHeaders(email.headers))
    this.#renderer = { renderer, readAt, transport }
    return renderer
  }

  async #findExit(owner: number | null): Promise<FoundExit> {
    const readAt = performance.now()
    const known = this.#exits.get(owner)
    if (known !== undefined && readAt - known.readAt < freshMs) return known.found
    const { findWay, outlets, lanes } = this.#parts
    const emailId = this.state.email_id
    const transport = this.#renderer?.transport
    const way = await findWay({ transport, emailId, ownerId: owner ?? undefined })
    const outlet = await outlets.open(way)
    const isOwners = way.trace.some(({ source }) => source === 'owner')
    const found =
      'problem' in outlet
        ? { ...outlet, isOwners }
        : {
            outlet,
            lane: lanes.of(outlet),
            trace: JSON.stringify(way.trace),
            isOwners,
          }
    this.#exits.set(owner, { found, readAt })
    return found
  }
}
