import type { Clock } from '../../../kit/clock.ts'
import { Alarm } from '../../../kit/timers.ts'
import { type LimitRules, secondMs, type UsageAsk, type UsageGrant } from '../usage/usage.ts'
import { ReusableTokens } from './reusable-tokens.ts'
import { TakenTokens } from './taken-tokens.ts'
import { type NoFreeTokens, WaitingLine } from './waiting-line.ts'
import { WindowTokens } from './window-tokens.ts'

export interface TokenLeaseOptions {
  /** Exchanges tokens with the database. */
  exchange: (ask: UsageAsk, rules: LimitRules) => Promise<UsageGrant>
  clock: Clock
  /** Starts a timer. Default: that of the machine. */
  schedule?: (work: () => void, delayMs: number) => { cancel(): void }
  onError?: (error: unknown) => void
}

/** How soon more tokens are asked for, at the earliest. */
const earliestMs = 5
/** How often a process asks that has tokens, but too few. */
const pollMs = 200
/** How often a process asks while a calendar window is full: another process may return some. */
const fullPollMs = 1_000
const renewMs = 1_000
/** How soon tokens are returned that other processes wait for. */
const surplusMs = 50
const retryMs = 500

/**
 * The tokens of one limit in this process. It leases as many as it needs from the database, and gives them to messages
 * in the order of arrival.
 *
 * The limit per second is exact in every sliding second: a token is used for one message at a time, and used again one
 * second after the server's answer (see `TakenTokens`). There are as many tokens as messages are allowed, so among the
 * messages that arrive within any second no two have the same token.
 */
export class TokenLease {
  readonly #options: Required<Pick<TokenLeaseOptions, 'schedule' | 'onError'>> & TokenLeaseOptions
  readonly #second = new ReusableTokens()
  readonly #windows = new WindowTokens()
  readonly #line: WaitingLine
  #rules: LimitRules
  #usedAt = Number.NEGATIVE_INFINITY
  #usedBefore = 0
  #usedSince = 0
  #askedAt = Number.NEGATIVE_INFINITY
  #askAgainAt = 0
  /** When that was asked which was answered last, by the rules of now. */
  #knownAt = Number.NEGATIVE_INFINITY
  /** For how many tokens a full window was found full: there may be fewer. */
  #fullFor = 1
  /** Whether the last exchange was for messages that wait, and gave nothing. */
  #wasInVain = false
  #asking: Promise<void> | undefined
  #timer: { cancel(): void } | undefined
  #isClosed = false

  constructor(rules: LimitRules, options: TokenLeaseOptions) {
    this.#rules = rules
    this.#options = {
      schedule: (work, delayMs) => new Alarm(work).set(Math.min(delayMs, 2 ** 30)),
      onError: () => undefined,
      ...options,
    }
    this.#line = new WaitingLine(this.#options)
  }

  get rules(): LimitRules {
    return this.#rules
  }

  set rules(rules: LimitRules) {
    if (rules === this.#rules) return
    const namesOf = ({ windows }: LimitRules) => windows.map(({ window }) => window).join()
    // The tokens that the process has were not counted in a window that is new.
    if (namesOf(rules) !== namesOf(this.#rules)) this.#windows.end()
    this.#rules = rules
    // What was answered was by the rules before.
    this.#knownAt = Number.NEGATIVE_INFINITY
    this.#askedAt = Number.NEGATIVE_INFINITY
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }

  /** When a full window ends; undefined while none is full by the rules of now. */
  get #fullUntil(): number | undefined {
    const isKnown = this.#rules.windows.length > 0 && Number.isFinite(this.#knownAt)
    return isKnown ? this.#windows.freeAt : undefined
  }

  /** How many tokens are waited for. */
  get countWaiting(): number {
    return this.#line.count
  }

  /** Whether this process uses more than its share, and another one waits. */
  get isOverShare(): boolean {
    return this.#second.isOverShare
  }

  /** Waits for tokens, `waitMs` at most. */
  async take(
    count: number,
    { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
  ): Promise<TakenTokens | NoFreeTokens> {
    if (this.#isClosed) return { freeAt: this.#options.clock.now() + pollMs }
    const taken = this.#line.isEmpty ? this.#takeNow(count) : undefined
    if (taken !== undefined) return taken
    const now = this.#now
    const freeAt = this.#fullUntil ?? now
    // That was answered a moment ago: such a message that waits is not served either.
    const isKnown = now - this.#knownAt < fullPollMs && count >= this.#fullFor
    if (isKnown && freeAt > now + waitMs) return { freeAt: this.#freeAt(count) }
    const waiting = this.#line.wait(count, { waitMs, signal, freeAt: () => this.#freeAt(count) })
    this.#serve()
    this.#plan()
    return waiting
  }

  /** Returns all tokens. Those that wait for some are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#line.refuseAll()
    await this.#asking
    if (this.#second.held === 0 && !this.#windows.hasReturns) return
    const ask = this.#createAsk(this.#now)
    await this.#options.exchange(ask, this.#rules).catch(this.#options.onError)
  }

  #takeNow(count: number): TakenTokens | undefined {
    const now = this.#now
    const { perSecond, restMs = secondMs, windows } = this.#rules
    if (windows.length > 0 && !this.#windows.canTake(count, now)) return undefined
    if (perSecond !== undefined && !this.#second.tryTake(count, now)) return undefined
    this.#noteUse(count, now)
    return new TakenTokens(count, {
      clock: this.#options.clock,
      second: perSecond === undefined ? undefined : this.#second,
      windows: windows.length === 0 ? undefined : this.#windows,
      restMs,
      onRelease: () => {
        this.#serve()
        this.#plan()
      },
    })
  }

  /** Counts uses, to know how many tokens of calendar windows are used in a second. */
  #noteUse(count: number, now: number): void {
    if (now - this.#usedAt >= secondMs) {
      this.#usedBefore = now - this.#usedAt >= 2 * secondMs ? 0 : this.#usedSince
      this.#usedSince = 0
      this.#usedAt = now
    }
    this.#usedSince += count
  }

  #serve(): void {
    for (let next = this.#line.first; next !== undefined; next = this.#line.first) {
      const taken = this.#takeNow(next.count)
      if (taken === undefined) return
      next.accept(taken)
    }
  }

  #createAsk(now: number): UsageAsk {
    const { perSecond, windows } = this.#rules
    const needed = this.#isClosed ? 0 : this.#line.count
    const ask: UsageAsk = {}
    if (perSecond !== undefined) {
      const busy = this.#second.busy(now)
      const wanted = busy + needed + Math.ceil(busy / 4)
      const wants = this.#isClosed ? 0 : Math.min(perSecond, wanted)
      ask.second = this.#second.ask({ wants, isAwaited: needed > 0, now })
    }
    if (windows.length > 0) {
      const used = now - this.#usedAt < secondMs ? Math.max(this.#usedSince, this.#usedBefore) : 0
      const wants = needed === 0 && used === 0 ? 0 : needed + Math.ceil(used / 2)
      const atLeast = this.#line.first?.count ?? 0
      ask.windows = this.#windows.ask({ wants: this.#isClosed ? 0 : wants, atLeast, now })
    }
    return ask
  }

  async #exchange(): Promise<void> {
    const { exchange, onError } = this.#options
    const askedAt = this.#now
    const first = this.#line.first?.count
    const rules = this.#rules
    this.#askedAt = askedAt
    this.#askAgainAt = 0
    try {
      const grant = await exchange(this.#createAsk(askedAt), rules)
      const { second, windows } = grant
      const times = { now: grant.now, askedAt, answeredAt: this.#now }
      if (second !== undefined) this.#second.apply(second, times)
      if (windows !== undefined) this.#windows.apply(windows, times)
      if (rules === this.#rules) this.#knownAt = askedAt
      this.#fullFor = first ?? 1
      const isEmpty = !second?.granted.length && !windows?.tokens
      this.#wasInVain = first !== undefined && isEmpty
    } catch (error) {
      this.#askAgainAt = this.#now + retryMs
      onError(error)
    }
    this.#asking = undefined
    if (this.#isClosed) return
    this.#serve()
    const freeAt = this.#fullUntil
    if (freeAt !== undefined) this.#line.refuseBefore(freeAt, this.#fullFor)
    this.#plan()
  }

  /** Sets the timer to what comes next: a token that has rested, or the next exchange. */
  #plan(): void {
    if (this.#isClosed) return
    this.#timer?.cancel()
    const now = this.#now
    const askAt = this.#asking === undefined ? this.#nextAskAt(now) : undefined
    if (askAt !== undefined && askAt <= now) {
      this.#asking = this.#exchange()
      return
    }
    const times = [askAt, this.#line.count > 0 ? this.#nextFreeAt(now) : undefined]
    const next = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY))
    if (next === Number.POSITIVE_INFINITY) return
    this.#timer = this.#options.schedule(
      () => {
        this.#serve()
        this.#plan()
      },
      Math.max(1, Math.ceil(next - now)),
    )
  }

  /** When the tokens of this process suffice for the next message, as far as it has them. */
  #nextFreeAt(now: number): number | undefined {
    const { perSecond, windows } = this.#rules
    const count = this.#line.first?.count ?? 1
    const second = perSecond === undefined ? now : this.#second.availableAt(count)
    const window = windows.length === 0 ? now : this.#windows.availableAt(count, now)
    if (second === undefined || window === undefined) return undefined
    return Math.max(second, window, now)
  }

  #nextAskAt(now: number): number | undefined {
    const isFull = (this.#fullUntil ?? now) > now
    const hasSome = this.#nextFreeAt(now) !== undefined
    const pauseMs = isFull ? fullPollMs : hasSome || this.#wasInVain ? pollMs : earliestMs
    const pauses = [
      this.#line.count > 0 ? pauseMs : undefined,
      this.#second.hasSurplus() ? surplusMs : undefined,
      this.#second.held > 0 || this.#windows.hasReturns ? renewMs : undefined,
    ].filter((pause) => pause !== undefined)
    if (pauses.length === 0) return undefined
    return Math.max(this.#askAgainAt, this.#askedAt + Math.min(...pauses))
  }

  /** When tokens are free, by the clock of the machine, as far as it is known. */
  #freeAt(count: number): number {
    const now = this.#now
    const known = this.#nextFreeAt(now) ?? now + secondMs
    const time = this.#windows.canTake(count, now) ? known : Math.max(known, this.#fullUntil ?? 0)
    return Math.ceil(this.#options.clock.now() + time - now)
  }
}
