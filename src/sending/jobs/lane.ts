import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { maskAddresses } from '../../kit/mask-addresses.ts'
import type { DeliveryResult, TransportLoad } from '../../mailer/index.ts'
import type { Outlet } from '../outlets/outlets.ts'

/** How a transport is named in the log; the configured default has no id. */
interface TransportName {
  transportId: number | null
  transport: string
}

/** What lanes are made with. */
export interface LaneOptions {
  clock: Clock
  /** From 0 up to but without 1. */
  random: () => number
  /** How many messages may be under way in one lane; see `Worker`. */
  windowMax: number
  log: Log
}

/** So much of what a transport does in a second may wait for its turn there. */
const waitingShare = 0.015
const waitingMin = 2
const measureMs = 100
const firstOutMs = 5_000
const longestOutMs = 300_000
/** What a server asks for counts up to so long. */
const longestAskedMs = 3_600_000

/**
 * How the way through one transport fares in this process. It hands over no more than the transport
 * will take in a moment, since what was handed over is in doubt should this process die, and can be
 * neither paused nor cancelled. A transport that fails is left alone for a while, longer each time, and
 * then tried with one message.
 */
export class Lane {
  readonly #options: LaneOptions
  readonly #name: TransportName
  #underWay = 0
  #reserved = 0
  #ratePerSecond = 0
  #measuredAt = performance.now()
  #settledSince = 0
  #failures = 0
  #outUntil = 0
  #problem: string | undefined

  constructor(options: LaneOptions, name: TransportName) {
    this.#options = options
    this.#name = name
  }

  /** Until when it is left alone; in the past where it is not. */
  get outUntil(): number {
    return this.#outUntil
  }

  /** What was wrong the last time, until a message comes through. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** How many messages may be handed over now. */
  room({ waiting }: TransportLoad): number {
    const { clock, windowMax } = this.#options
    if (this.#outUntil > clock.now()) return 0
    if (this.#failures > 0) return this.#underWay === 0 ? 1 : 0
    const allowance = Math.max(waitingMin, Math.ceil(this.#ratePerSecond * waitingShare))
    return Math.min(windowMax - this.#underWay, allowance - waiting - this.#reserved)
  }

  /** Takes a place for a message that is about to be handed over. */
  reserve(): void {
    this.#underWay += 1
    this.#reserved += 1
  }

  /** The message is with the transport now. */
  handOver(): void {
    this.#reserved -= 1
  }

  /** The message is not to leave after all. */
  giveUp(): void {
    this.#underWay -= 1
    this.#reserved -= 1
  }

  /** The transport is done with a message. Where it throws, nothing has changed. */
  settle({ outcome, fault, retryAfterMs }: DeliveryResult): void {
    const { clock, random, log } = this.#options
    const now = clock.now()
    this.#underWay -= 1
    this.#measure()
    if (fault?.code === 'cancelled') return
    if (outcome === 'accepted' || fault?.scope !== 'member') {
      if (this.#failures > 0) log.info({ ...this.#name }, 'transport available')
      this.#failures = 0
      this.#problem = undefined
      return
    }
    this.#problem = fault.message
    // Those that were under way together fail together: that is one failure.
    if (this.#outUntil > now) return
    const outMs = Math.min(firstOutMs * 2 ** Math.min(this.#failures, 20), longestOutMs)
    this.#failures += 1
    const askedMs = Math.min(retryAfterMs ?? 0, longestAskedMs)
    const waitMs = Math.max(outMs * (0.75 + random() / 2), askedMs)
    this.#outUntil = Math.ceil(now + waitMs)
    const retryInMs = Math.ceil(waitMs)
    const reason = maskAddresses(fault.message)
    log.info({ ...this.#name, reason, retryInMs }, 'transport unavailable')
  }

  #measure(): void {
    this.#settledSince += 1
    const passedMs = performance.now() - this.#measuredAt
    if (passedMs < measureMs) return
    const justNow = (this.#settledSince / passedMs) * 1_000
    this.#ratePerSecond = (this.#ratePerSecond + justNow) / 2
    this.#measuredAt += passedMs
    this.#settledSince = 0
  }
}

/** The lanes of a process, one for each open transport: whoever mends a DSN need not wait for what failed with the old one. */
export class Lanes {
  readonly #options: LaneOptions
  readonly #lanes = new WeakMap<object, Lane>()

  constructor(options: LaneOptions) {
    this.#options = options
  }

  of({ transport, transportId, name }: Pick<Outlet, 'transport' | 'transportId' | 'name'>): Lane {
    const known = this.#lanes.get(transport)
    if (known !== undefined) return known
    const lane = new Lane(this.#options, { transportId, transport: name })
    this.#lanes.set(transport, lane)
    return lane
  }
}
