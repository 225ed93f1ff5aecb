import { randomUUID } from 'node:crypto'
import { noBrand } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { type MaybePromise, mapMaybe } from '../../kit/maybe-promise.ts'
import { createOutage, type Outage } from '../../kit/outage.ts'
import { SharedCopy } from '../../kit/shared-copy.ts'
import type {
  ConnectionPermit,
  OpenRate,
  SendRate,
  SharedConnections,
} from '../../libraries/mailer/index.ts'
import { limitsChannel, routesChannel, type Storage } from '../../platform/storage/index.ts'
import { LimitPermit, type Permit, type PermitPart, unlimited } from './lease/permit.ts'
import type { TakenTokens } from './lease/taken-tokens.ts'
import { TokenLease } from './lease/token-lease.ts'
import {
  isBudget,
  type Limit,
  listPublished,
  rateKeyPrefix,
  type TokenLimit,
  toLimit,
} from './rules.ts'
import type { Overflow } from './table.ts'
import { type LimitRules, secondMs } from './usage/usage.ts'
import { UsageStore } from './usage/usage-store.ts'

/** A message that is to be sent through a transport. */
export interface AcquireRequest {
  /** Null for the default transport, which has no limits. */
  transportId: number | null
  /** The brand of the message, which may have a budget; see `noBrand`. */
  brand: number
  /** How many recipients it has: each needs a token. */
  count: number
}

/** How long a message waits for its tokens. */
export interface AcquireWait {
  waitMs: number
  signal?: AbortSignal | undefined
}

/** Why a message must not be sent now. */
export interface LimitReached {
  granted: false
  limit: { id: number; name: string }
  overflow: Overflow
  /** When a token is expected to be free, in milliseconds since the epoch. */
  freeAt: number
  /** A sentence. */
  problem: string
}

export type Acquired = { granted: true; permit: Permit } | LimitReached

interface AppliedLimits {
  byTransport: ReadonlyMap<number, readonly Limit[]>
  /** Budgets. */
  byBrand: ReadonlyMap<number, readonly Limit[]>
}

/** Limits are read again after this time, while the old ones are still used. */
const refreshMs = 500
/** A change whose notification is lost applies after this time at the latest. */
const staleMs = 1_000
const none: readonly Limit[] = []
const withoutLimits: Acquired = { granted: true, permit: unlimited }

/**
 * Applies the limits of provider accounts to what this process sends. All processes share the tokens of each limit, so
 * together they never exceed it; see `TokenLease`. A change of a limit applies at once, within a second where its notification is lost.
 */
export class Limiter {
  readonly #clock: Clock
  readonly #usages: UsageStore
  readonly #outage: Outage
  /** The published limits: sending reads none. They are read again while it sends. */
  readonly #applied: SharedCopy<AppliedLimits>
  readonly #leases = new Map<string, TokenLease>()

  constructor({ storage, clock, log }: { storage: Storage; clock: Clock; log: Log }) {
    this.#clock = clock
    this.#usages = new UsageStore(storage, randomUUID())
    this.#outage = createOutage(log, {
      level: 'warn',
      failed: 'limits not exchanged',
      recovered: 'limits exchanged again',
    })
    this.#applied = new SharedCopy({
      read: async () => this.#follow((await listPublished(storage)).map(toLimit)),
      empty: { byTransport: new Map(), byBrand: new Map() },
      listen: (onChanged) => {
        // A transport that is moved to another brand leaves the limits of its brand.
        const ends = [limitsChannel, routesChannel].map((each) => storage.listen(each, onChanged))
        return () => {
          for (const end of ends) end()
        }
      },
      clock,
      log,
      events: { failed: 'limits not read', recovered: 'limits read again' },
    })
    this.#applied.listen()
  }

  /**
   * Takes a token for each recipient from every budget of the brand and limit of the transport, in the same order in every
   * process; waits `waitMs` at most. A transport without limits costs one look-up.
   */
  acquire(request: AcquireRequest, wait: AcquireWait): MaybePromise<Acquired> {
    const { transportId, brand, count } = request
    if (transportId === null && brand === noBrand) return withoutLimits
    return mapMaybe(this.#applied.fresh(staleMs), () => {
      const limits = this.#limitsOf(transportId, brand)
      return limits.length === 0 ? withoutLimits : this.#takeAll(limits, count, wait)
    })
  }

  async #takeAll(
    limits: readonly Limit[],
    count: number,
    { waitMs, signal }: AcquireWait,
  ): Promise<Acquired> {
    const until = this.#clock.monotonic() + waitMs
    const parts: PermitPart[] = []
    for (const limit of limits) {
      const lease = this.#leaseOf(limit)
      const max = maxOf(limit.rules, this.#clock.now())
      const leftMs = Math.max(0, until - this.#clock.monotonic())
      const taken = count > max ? undefined : await lease.take(count, { waitMs: leftMs, signal })
      if (taken === undefined || 'freeAt' in taken) {
        for (const part of parts) part.taken.release()
        const { id, name, overflow } = limit
        const freeAt = taken?.freeAt ?? this.#clock.now() + tooManyMs
        const problem =
          taken === undefined
            ? `The message has ${count} recipients, and limit "${name}" allows ${max} at a time. Send it to fewer recipients at once.`
            : `Limit "${name}" is reached.`
        return { granted: false, limit: { id, name }, overflow, freeAt, problem }
      }
      parts.push({ limit, lease, taken })
    }
    return { granted: true, permit: new LimitPermit(parts) }
  }

  /** Opens the rate limits of a transport's DSN (`max_per_second`), which all processes share. */
  readonly openRates =
    (transportId: number | null): OpenRate =>
    (maxPerSecond, number) => {
      const key = `${rateKeyPrefix(transportId)}${number}`
      return openRate(this.#followRules({ key, rules: rateRules(maxPerSecond) }))
    }

  /** Opens the limits of connections of a transport, which all processes share; undefined for the default transport. */
  readonly openConnections = (transportId: number | null): SharedConnections | undefined =>
    transportId === null
      ? undefined
      : { acquire: (signal) => this.#acquireConnection(transportId, signal) }

  /** Reads the limits, again if they were read before. */
  reload(): Promise<void> {
    return this.#applied.reload()
  }

  /** Returns the tokens. Messages that wait are refused. */
  async close(): Promise<void> {
    await this.#applied.stop()
    await Promise.all([...this.#leases.values()].map((lease) => lease.close()))
  }

  /** Takes a token of each limit of connections, for as long as the connection is open. */
  async #acquireConnection(transportId: number, signal: AbortSignal): Promise<ConnectionPermit> {
    await this.#applied.fresh(staleMs)
    const limits = () => this.#limitsOf(transportId).flatMap(({ connections }) => connections ?? [])
    const parts = new Map<string, ConnectionPart>()
    for (const limit of limits()) {
      const lease = this.#leaseOf(limit)
      const taken = await lease.take(1, { waitMs: longestWaitMs, signal })
      if ('freeAt' in taken) {
        for (const part of parts.values()) part.taken.release()
        throw new Error('The message was cancelled while it waited for a connection.')
      }
      taken.markSent()
      parts.set(limit.key, { lease, taken })
    }
    return connectionPermit(parts, limits)
  }

  /** Returns the limits of a transport, and the budgets of a brand, as they were read last. */
  #limitsOf(transportId: number | null, brand = noBrand): readonly Limit[] {
    const { byTransport, byBrand } = this.#applied.renew(refreshMs)
    const limits = (transportId === null ? undefined : byTransport.get(transportId)) ?? none
    const budgets = byBrand.get(brand)
    // First: what waits for a budget holds no token of an account that other brands use, too.
    return budgets === undefined ? limits : [...budgets, ...limits]
  }

  /** Lets the leases follow limits that were read, and returns these. */
  #follow(limits: readonly Limit[]): AppliedLimits {
    const byTransport = new Map<number, Limit[]>()
    for (const limit of limits) {
      this.#followRules(limit)
      if (limit.connections !== undefined) this.#followRules(limit.connections)
      for (const id of limit.transports)
        byTransport.set(id, [...(byTransport.get(id) ?? []), limit])
    }
    return { byTransport, byBrand: Map.groupBy(limits.filter(isBudget), ({ brand }) => brand) }
  }

  /** Finds or opens a lease; from now on it follows these rules. */
  #followRules(limit: TokenLimit): TokenLease {
    const lease = this.#leaseOf(limit)
    lease.rules = limit.rules
    return lease
  }

  /** Finds or opens a lease. A message that waits may know older rules than those that it follows. */
  #leaseOf({ key, rules }: TokenLimit): TokenLease {
    const existing = this.#leases.get(key)
    if (existing !== undefined) return existing
    const lease = new TokenLease(rules, {
      clock: this.#clock,
      exchange: async (ask, current) => {
        const grant = await this.#usages.exchange(key, ask, current)
        this.#outage.recover()
        return grant
      },
      onError: this.#outage.report,
    })
    this.#leases.set(key, lease)
    return lease
  }
}

/** How much later a message is tried again that has too many recipients for a limit: the limit may be raised. */
const tooManyMs = 3_600_000

/** The most recipients that one message may have. */
function maxOf({ perSecond, windows }: LimitRules, now: number): number {
  const ofWindows = windows.map(({ max }) => max(now))
  return Math.min(perSecond ?? Number.POSITIVE_INFINITY, ...ofWindows)
}

/** How long a message waits for a rate or a connection at most: the caller cancels it sooner. */
const longestWaitMs = 86_400_000

/** Returns the rules for a rate. Fractions are rounded down; a rate below one has one token that rests longer. */
function rateRules(perSecond: number): LimitRules {
  return perSecond >= 1
    ? { perSecond: Math.floor(perSecond), windows: [] }
    : { perSecond: 1, restMs: Math.ceil(secondMs / perSecond), windows: [] }
}

/** Lets the mailer take one token for each message. */
function openRate(lease: TokenLease): SendRate {
  return {
    async acquire(signal) {
      const taken = await lease.take(1, { waitMs: longestWaitMs, signal })
      if ('freeAt' in taken) throw new Error('The message was cancelled while it waited.')
      return new LimitPermit([{ limit: { name: 'max_per_second' }, lease, taken }])
    },
  }
}

interface ConnectionPart {
  lease: TokenLease
  taken: TakenTokens
}

function connectionPermit(
  parts: ReadonlyMap<string, ConnectionPart>,
  limits: () => readonly TokenLimit[],
): ConnectionPermit {
  const all = [...parts.values()]
  return {
    isLimited: all.length > 0,
    // A limit may have been created since, or given to the transport.
    isValid: () =>
      all.every(({ taken }) => taken.isValid()) && limits().every(({ key }) => parts.has(key)),
    countWaiting: () => Math.max(0, ...all.map(({ lease }) => lease.countWaiting)),
    isOverShare: () => all.some(({ lease }) => lease.isOverShare),
    release() {
      for (const { taken } of all) taken.release()
    },
  }
}
