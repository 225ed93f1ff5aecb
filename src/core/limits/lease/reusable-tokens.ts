import type { DelayedTokens, PoolAsk, PoolGrant } from '../usage/token-pool.ts'

interface FreeTokens {
  /** When they may be used, by the monotonic clock of this process. */
  from: number
  tokens: number
  /** Whether they were used since they were granted. */
  isUsed: boolean
}

/**
 * The tokens of a pool that this process has, while its lease lasts. All times are those of its monotonic clock; a
 * time of the database is converted by the span in which its answer was awaited, so that no token is used too early
 * and no lease too long.
 */
export class ReusableTokens {
  #free: FreeTokens[] = []
  #inUse = 0
  #epoch = 0
  #until = Number.NEGATIVE_INFINITY
  #share = 0

  /** Identifies the lease: tokens of an earlier one are worth nothing. */
  get epoch(): number {
    return this.#epoch
  }

  get held(): number {
    return this.#inUse + this.#free.reduce((sum, { tokens }) => sum + tokens, 0)
  }

  /** Whether more tokens are in use than the share of the process. */
  get isOverShare(): boolean {
    return this.#inUse > this.#share
  }

  /** Tokens that are in use or rest. */
  busy(now: number): number {
    const resting = this.#free.filter(({ from }) => from > now)
    return this.#inUse + resting.reduce((sum, { tokens }) => sum + tokens, 0)
  }

  /** Takes tokens, all or none. */
  tryTake(count: number, now: number): boolean {
    this.#endLease(now)
    if ((this.availableAt(count) ?? Number.POSITIVE_INFINITY) > now) return false
    let missing = count
    const usable = this.#usable()
    for (const [index, entry] of this.#free.entries()) {
      const tokens = Math.min(missing, usable[index]?.tokens ?? 0)
      entry.tokens -= tokens
      missing -= tokens
    }
    this.#free = this.#free.filter(({ tokens }) => tokens > 0)
    this.#inUse += count
    return true
  }

  /** When so many tokens will be free; undefined where the process does not have them. */
  availableAt(count: number): number | undefined {
    let sum = 0
    for (const { from, tokens } of this.#usable()) {
      sum += tokens
      if (sum >= count) return from
    }
    return undefined
  }

  /** Whether tokens that were taken in a lease may still be used. */
  isValid(epoch: number, now: number): boolean {
    return epoch === this.#epoch && now <= this.#until
  }

  /** Ends the use of tokens, which may be used again from this time on. */
  release(epoch: number, { tokens, from, isUsed }: FreeTokens): void {
    if (epoch !== this.#epoch || tokens === 0) return
    this.#inUse -= tokens
    this.#put({ from, tokens, isUsed })
  }

  /** Whether the process has more than its share, and could return some. */
  hasSurplus(): boolean {
    return this.held > this.#share && this.#free.some(({ isUsed }) => isUsed)
  }

  /** Takes out what is to be returned, and tells how much is kept. A token that is waited for is used before it is returned. */
  ask({ wants, isAwaited, now }: { wants: number; isAwaited: boolean; now: number }): PoolAsk {
    this.#endLease(now)
    let surplus = Math.max(0, this.held - Math.min(this.#share, wants))
    const returns: DelayedTokens[] = []
    for (const entry of this.#free.toReversed()) {
      if (isAwaited && !entry.isUsed) continue
      const tokens = Math.min(surplus, entry.tokens)
      if (tokens === 0) continue
      entry.tokens -= tokens
      surplus -= tokens
      returns.push({ afterMs: Math.max(0, Math.ceil(entry.from - now)), tokens })
    }
    this.#free = this.#free.filter(({ tokens }) => tokens > 0)
    return { keeps: this.held, returns, wants }
  }

  /** Adds what was granted between two times. */
  apply(grant: PoolGrant, { askedAt, answeredAt }: { askedAt: number; answeredAt: number }): void {
    if (grant.isNew) this.#drop()
    this.#until = askedAt + grant.leaseMs
    this.#share = grant.share
    for (const { afterMs, tokens } of grant.granted)
      this.#put({ from: answeredAt + afterMs, tokens, isUsed: false })
  }

  /** The free tokens, without those that are to be returned because other processes wait for them. */
  #usable(): readonly FreeTokens[] {
    let surplus = this.held - this.#share
    if (surplus <= 0) return this.#free
    const usable = this.#free.toReversed().map((entry) => {
      const returned = entry.isUsed ? Math.min(surplus, entry.tokens) : 0
      surplus -= returned
      return { ...entry, tokens: entry.tokens - returned }
    })
    return usable.reverse()
  }

  #put(entry: FreeTokens): void {
    const index = this.#free.findIndex(({ from }) => from > entry.from)
    this.#free.splice(index === -1 ? this.#free.length : index, 0, entry)
  }

  #endLease(now: number): void {
    if (now > this.#until && this.held > 0) this.#drop()
  }

  #drop(): void {
    this.#epoch += 1
    this.#free = []
    this.#inUse = 0
  }
}
