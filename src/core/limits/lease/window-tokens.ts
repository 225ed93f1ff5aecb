import type { WindowAsk, WindowGrant, WindowStarts } from '../usage/window-counts.ts'

const nothing: WindowStarts = {}

/** The tokens of calendar windows that this process has. Each is used once. Times are those of its monotonic clock. */
export class WindowTokens {
  #tokens = 0
  #starts = nothing
  #from = 0
  #until = Number.NEGATIVE_INFINITY
  #returns: { starts: WindowStarts; tokens: number }[] = []
  #freeAt: number | undefined

  /** Whether tokens are to be returned. */
  get hasReturns(): boolean {
    return this.#tokens > 0 || this.#returns.length > 0
  }

  /** When a full window ends; undefined while none is full. */
  get freeAt(): number | undefined {
    return this.#freeAt
  }

  canTake(count: number, now: number): boolean {
    return this.#tokens >= count && now >= this.#from && now < this.#until
  }

  /** When the tokens may be used; undefined where there are not so many. */
  availableAt(count: number, now: number): number | undefined {
    return this.#tokens >= count && now < this.#until ? this.#from : undefined
  }

  take(count: number): WindowStarts {
    this.#tokens -= count
    return this.#starts
  }

  isValid(starts: WindowStarts, now: number): boolean {
    return starts === this.#starts && now < this.#until
  }

  /** Makes the tokens unusable; they are returned with the next ask. */
  end(): void {
    this.#until = Number.NEGATIVE_INFINITY
  }

  /** Takes back tokens that were not used. */
  giveBack(starts: WindowStarts, tokens: number): void {
    if (tokens === 0) return
    if (starts === this.#starts) this.#tokens += tokens
    else this.#returns.push({ starts, tokens })
  }

  ask({ wants, atLeast, now }: { wants: number; atLeast: number; now: number }): WindowAsk {
    if (now >= this.#until || wants === 0) this.#returnAll()
    const returns = this.#returns
    this.#returns = []
    const missing = Math.max(0, wants - this.#tokens)
    return { wants: missing, atLeast: Math.max(0, atLeast - this.#tokens), returns }
  }

  /** Adds what was granted, at this time of the database, between two times. */
  apply(
    { tokens, starts, period, freeAt }: WindowGrant,
    { now, askedAt, answeredAt }: { now: number; askedAt: number; answeredAt: number },
  ): void {
    this.#freeAt = freeAt === undefined ? undefined : answeredAt + freeAt - now
    if (tokens === 0) return
    if (JSON.stringify(starts) !== JSON.stringify(this.#starts)) {
      this.#returnAll()
      this.#starts = starts
    }
    this.#tokens += tokens
    this.#from = answeredAt + period.start - now
    this.#until = askedAt + period.end - now
  }

  #returnAll(): void {
    if (this.#tokens > 0) this.#returns.push({ starts: this.#starts, tokens: this.#tokens })
    this.#tokens = 0
  }
}
