import { type CalendarPeriod, type CalendarWindow, periodOf } from './calendar.ts'

/** How many tokens of each calendar window were given to processes. */
export type WindowCounts = Partial<Record<CalendarWindow, { start: number; used: number }>>

/** A calendar window and how many tokens it has. */
export interface WindowRule {
  window: CalendarWindow
  /** The maximum of the window that starts at this time; a warm-up has another one each day. */
  max: (start: number) => number
}

/** The starts of the windows that tokens were given for. */
export type WindowStarts = Partial<Record<CalendarWindow, number>>

/** What a process returns and asks. One token counts in every window. */
export interface WindowAsk {
  wants: number
  /** How many tokens are of use at least: a message may have several recipients. */
  atLeast: number
  returns: readonly { starts: WindowStarts; tokens: number }[]
}

export interface WindowGrant {
  tokens: number
  starts: WindowStarts
  /** The tokens may be used in this period only: the overlap of all windows. */
  period: CalendarPeriod
  /** When a full window ends, by the database's clock; undefined where none is full. */
  freeAt: number | undefined
}

/** A lease takes this share of what is left, so that a crash wastes little. */
const leasedShare = 8
/** A window that starts later than this was counted before the clock was set back. */
const futureMs = 120_000

/**
 * Counts tokens in all windows of a limit and gives them to a process. Counted are all that were given and not returned, so
 * no window ever has more than its maximum. Changes `counts`.
 */
export function countTokens(
  counts: WindowCounts,
  ask: WindowAsk,
  { rules, now }: { rules: readonly WindowRule[]; now: number },
): WindowGrant {
  for (const { window } of rules) moveOn(counts, window, now)
  for (const { starts, tokens } of ask.returns)
    for (const { window } of rules) {
      const count = counts[window]
      if (count !== undefined && count.start === starts[window])
        count.used = Math.max(0, count.used - tokens)
    }
  const open = rules.map(({ window, max }) => {
    const count = counts[window] ?? { start: 0, used: 0 }
    return { count, window, left: max(count.start) - count.used, ...periodOf(window, count.start) }
  })
  const left = Math.min(...open.map((each) => each.left))
  const full = open.filter((each) => each.left < Math.max(1, ask.atLeast))
  const most = Math.max(ask.atLeast, Math.ceil(left / leasedShare))
  const tokens = full.length > 0 ? 0 : Math.min(ask.wants, most, left)
  for (const { count } of open) count.used += tokens
  return {
    tokens,
    starts: Object.fromEntries(open.map(({ window, start }) => [window, start])),
    period: {
      start: Math.max(...open.map(({ start }) => start)),
      end: Math.min(...open.map(({ end }) => end)),
    },
    freeAt: full.length === 0 ? undefined : Math.max(...full.map(({ end }) => end)),
  }
}

/** Starts the count of a new window. One that another process has started a moment ahead stays. */
function moveOn(counts: WindowCounts, window: CalendarWindow, now: number): void {
  const { start } = periodOf(window, now)
  const count = counts[window]
  if (count === undefined || count.start < start) counts[window] = { start, used: 0 }
  // After the clock was set back, what was used in the later window counts in this one.
  else if (count.start > now + futureMs) count.start = start
}
