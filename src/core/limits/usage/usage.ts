import {
  emptyPool,
  type PoolAsk,
  type PoolGrant,
  renewLease,
  type TokenPool,
} from './token-pool.ts'
import {
  countTokens,
  type WindowAsk,
  type WindowCounts,
  type WindowGrant,
  type WindowRule,
} from './window-counts.ts'

/** What is used of one limit, as it is stored. */
export interface Usage {
  /** The tokens of the sliding second. */
  second: TokenPool
  windows: WindowCounts
}

/** The rules of a limit. A rule that is left out does not limit. */
export interface LimitRules {
  perSecond?: number
  /** How long a token rests after its use, in milliseconds. Default: a second; a rate below one rests longer. */
  restMs?: number
  /** How long a process has its tokens without asking again, in milliseconds. Default: 3 seconds. */
  leaseMs?: number
  windows: readonly WindowRule[]
}

/** What a process tells and asks about one limit. */
export interface UsageAsk {
  second?: PoolAsk
  windows?: WindowAsk
}

export interface UsageGrant {
  second?: PoolGrant
  windows?: WindowGrant
  /** The database's clock at the time of the grant. */
  now: number
}

/** How long a message counts in the sliding second. */
export const secondMs = 1_000
export const defaultLeaseMs = 3_000

export const emptyUsage = (): Usage => ({
  second: emptyPool(),
  windows: {},
})

/** Answers one process. Changes `usage`. */
export function exchange(
  usage: Usage,
  ask: UsageAsk,
  { rules, process, now }: { rules: LimitRules; process: string; now: number },
): UsageGrant {
  const { perSecond, restMs = secondMs, leaseMs = defaultLeaseMs, windows } = rules
  const grant: UsageGrant = { now }
  if (ask.second !== undefined && perSecond !== undefined) {
    const rule = { max: perSecond, restMs, leaseMs }
    grant.second = renewLease(usage.second, ask.second, { ...rule, process, now })
  }
  if (ask.windows !== undefined && windows.length > 0)
    grant.windows = countTokens(usage.windows, ask.windows, { rules: windows, now })
  return grant
}
