/**
 * Tokens that are used again and again, as they are stored: which process holds how many. Processes hold them by
 * leases, so no two of them have the same token, and together they have `max` at most.
 */
export interface TokenPool {
  holders: Holder[]
  /** Returned tokens that may not be used yet. */
  resting: Resting[]
}

/** The lease of a process. */
interface Holder {
  process: string
  tokens: number
  /** How many it would like to have. */
  wants: number
  /** The end of the lease, by the database's clock in milliseconds. */
  until: number
  /** When it was last given a token, or began to wait for its first or next one. */
  since: number
}

/** Tokens that may be used from a time on, by the database's clock in milliseconds. */
interface Resting {
  from: number
  tokens: number
}

/** Tokens that may be used after a time. */
export interface DelayedTokens {
  afterMs: number
  tokens: number
}

/** What a process tells and asks about its lease. */
export interface PoolAsk {
  /** How many tokens it keeps. */
  keeps: number
  returns: readonly DelayedTokens[]
  /** How many tokens it would like to have, with those that it keeps. */
  wants: number
}

export interface PoolGrant {
  /** Whether the lease had ended or is the first: the tokens that the process thought it keeps are lost. */
  isNew: boolean
  granted: DelayedTokens[]
  /** How many tokens the process should have. It returns the others after their next use. */
  share: number
  /** How long the lease lasts. */
  leaseMs: number
}

export interface PoolRule {
  max: number
  /** How long a token rests after its use: 1,000 for a limit per second. */
  restMs: number
  /** How long a lease lasts. After a crash, its tokens come back after twice this time and their rest. */
  leaseMs: number
}

/** Times are rounded up to this, so that a pool has few entries. */
const roundMs = 10

export const emptyPool = (): TokenPool => ({ holders: [], resting: [] })

/**
 * Renews the lease of a process: takes back what it returns, and gives it its fair share as far as tokens are free.
 *
 * A lease that has ended may still be in use where a process's clock or the database's was changed, so its tokens rest
 * for a whole lease once the end is noticed. Hence the number of tokens in use never exceeds `max`, whichever processes
 * crash or freeze.
 */
export function renewLease(
  pool: TokenPool,
  ask: PoolAsk,
  context: PoolRule & { process: string; now: number },
): PoolGrant {
  const { max, process, now, leaseMs } = context
  expire(pool, context)
  const before = pool.holders.find((each) => each.process === process)
  const holder = before ?? { process, tokens: 0, wants: 0, until: 0, since: now }
  if (before === undefined) pool.holders.push(holder)
  else takeBack(pool, { ask, holder, ...context })
  holder.wants = ask.wants
  holder.until = now + leaseMs
  const share = shareOf(holder, pool.holders, max)
  const granted = grant(pool, Math.max(0, share - holder.tokens), { max, now })
  const count = granted.reduce((sum, { tokens }) => sum + tokens, 0)
  holder.tokens += count
  if (count > 0) holder.since = now
  if (holder.tokens === 0 && holder.wants === 0)
    pool.holders = pool.holders.filter((each) => each !== holder)
  return { isNew: before === undefined, granted, share, leaseMs }
}

/** Counts the tokens that are held or rest. */
export function countTaken({ holders, resting }: TokenPool): number {
  return [...holders, ...resting].reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Ends the leases of processes that are silent, and the rest of tokens that have rested. */
export function expire(
  pool: TokenPool,
  { now, restMs, leaseMs }: Omit<PoolRule, 'max'> & { now: number },
): void {
  const longest = now + leaseMs + restMs
  for (const { tokens, until } of pool.holders)
    if (until <= now) addResting(pool, { from: longest, tokens })
  pool.holders = pool.holders
    .filter(({ until }) => until > now)
    // Later ends are from a time before the clock was set back.
    .map((holder) => ({ ...holder, until: Math.min(holder.until, now + leaseMs) }))
  pool.resting = pool.resting
    .filter(({ from }) => from > now)
    .map(({ from, tokens }) => ({ from: Math.min(from, longest + roundMs), tokens }))
}

function takeBack(
  pool: TokenPool,
  { ask, holder, now, restMs, leaseMs }: PoolRule & { ask: PoolAsk; holder: Holder; now: number },
): void {
  for (const { afterMs, tokens } of ask.returns)
    if (afterMs > 0) addResting(pool, { from: now + afterMs, tokens })
  const returned = ask.returns.reduce((sum, { tokens }) => sum + tokens, 0)
  // A grant whose answer was lost: the process does not have these tokens, but may have returned them once already.
  const lost = Math.max(0, holder.tokens - ask.keeps - returned)
  if (lost > 0) addResting(pool, { from: now + leaseMs + restMs, tokens: lost })
  if (holder.tokens > 0 && ask.keeps === 0) holder.since = now
  holder.tokens = ask.keeps
}

function addResting(pool: TokenPool, { from, tokens }: Resting): void {
  if (tokens <= 0) return
  const rounded = Math.ceil(from / roundMs) * roundMs
  const same = pool.resting.find((each) => each.from === rounded)
  if (same === undefined) pool.resting.push({ from: rounded, tokens })
  else same.tokens += tokens
}

/** Takes tokens out of the pool: those that are free, then those whose rest ends first. */
function grant(
  pool: TokenPool,
  count: number,
  { max, now }: { max: number; now: number },
): DelayedTokens[] {
  const held = pool.holders.reduce((sum, { tokens }) => sum + tokens, 0)
  const available = Math.min(count, max - held)
  if (available <= 0) return []
  const free = Math.max(0, Math.min(available, max - countTaken(pool)))
  const granted = free === 0 ? [] : [{ afterMs: 0, tokens: free }]
  let missing = available - free
  pool.resting.sort((one, other) => one.from - other.from)
  for (const rest of pool.resting) {
    const tokens = Math.min(missing, rest.tokens)
    if (tokens === 0) break
    rest.tokens -= tokens
    missing -= tokens
    granted.push({ afterMs: rest.from - now, tokens })
  }
  pool.resting = pool.resting.filter(({ tokens }) => tokens > 0)
  return granted
}

/**
 * Returns the share of one process: what it wants where that is enough for all, else as much as the others that want
 * more. With more processes than tokens, those that have waited longest get one, from those that have had one longest.
 */
function shareOf(holder: Holder, holders: readonly Holder[], max: number): number {
  const byWants = holders.toSorted((one, other) => one.wants - other.wants)
  let left = max
  let level = 0
  for (const [index, { wants }] of byWants.entries()) {
    level = Math.floor(left / (byWants.length - index))
    if (wants > level) break
    left -= wants
    level = wants
  }
  if (holder.wants <= level) return holder.wants
  const wanting = holders.filter(({ wants }) => wants > level)
  const rest = left - level * wanting.length
  const place = wanting.toSorted(level === 0 ? byTurn : byName).indexOf(holder)
  const isWaiting = level === 0 && holder.tokens === 0
  // What it has just returned is for those who have waited longer.
  const free = max - holders.reduce((sum, { tokens }) => sum + tokens, 0)
  return level + (place < (isWaiting ? free : rest) ? 1 : 0)
}

function byName(one: Holder, other: Holder): number {
  return one.process < other.process ? -1 : 1
}

/** Sorts processes that wait before those that have a token: the one that has had it longest is the last. */
function byTurn(one: Holder, other: Holder): number {
  if (one.tokens > 0 && other.tokens > 0) return other.since - one.since
  return Math.sign(one.tokens) - Math.sign(other.tokens) || one.since - other.since
}
