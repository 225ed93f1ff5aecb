import type { RecordJudgement } from './judge-record.ts'
import type { DkimKeyRow, RemovableRecord } from './table.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How often a record is looked up that is expected in DNS, and how often after a day. */
const waitingMs = 5 * minuteMs
const activeMs = hourMs
/** A record that was found before is gone if two look-ups find nothing, at least this far apart. */
const goneAfterMs = 5 * minuteMs
const confirmMs = 6 * minuteMs
/** Queues of receivers hold messages for up to five days; and caches of DNS for one. */
const removableAfterMs = 7 * dayMs
const removableMax = 10

/** The columns of a key without a rotation. */
export const noRotation = {
  next_algorithm: null,
  next_selector: null,
  next_private_key: null,
  next_public_key: null,
  next_problem: null,
  next_added_at: null,
} as const

/** What a look-up found of the records of a key. */
export interface KeyLookUp {
  current: RecordJudgement
  /** Undefined without a rotation. */
  next: RecordJudgement | undefined
  /** The selectors whose records were removed. */
  removed: readonly string[]
}

type Change = Partial<DkimKeyRow> & Pick<DkimKeyRow, 'checked_at' | 'check_at'>

/** Returns the columns that a look-up changes. Where the next key replaces the current one, its private key is still to be sealed. */
export function stateAfter(row: DkimKeyRow, lookUp: KeyLookUp, now: number): Change {
  const { next, removed } = lookUp
  const removable = readRemovable(row).filter(({ selector }) => !removed.includes(selector))
  const change = { ...currentAfter(row, lookUp.current, now), removable: JSON.stringify(removable) }
  const after =
    next?.state === 'usable'
      ? { ...change, ...switched(row, { removable, problem: next.problem }, now) }
      : { ...change, next_problem: next?.problem ?? null }
  const hasFailed = lookUp.current.state === 'failed' || next?.state === 'failed'
  const pauseMs = hasFailed ? waitingMs : pauseAfter({ ...row, ...after }, now)
  return { ...after, checked_at: now, check_at: now + pauseMs }
}

/** The columns that are the current key's. */
function currentAfter(row: DkimKeyRow, { state, problem }: RecordJudgement, now: number) {
  if (state === 'failed') return { problem }
  if (state === 'usable')
    return {
      state: 'active' as const,
      active_at: row.active_at ?? now,
      absent_since: null,
      problem,
    }
  if (row.state === 'waiting') return { problem }
  const absentSince = row.absent_since ?? now
  const isGone = row.state === 'missing' || now - absentSince >= goneAfterMs
  return {
    state: isGone ? ('missing' as const) : ('active' as const),
    absent_since: absentSince,
    problem,
  }
}

/** The columns of a key that the next one has replaced. */
function switched(
  row: DkimKeyRow,
  { removable, problem }: { removable: readonly RemovableRecord[]; problem: string | null },
  now: number,
) {
  const old = { selector: row.selector, from: now + removableAfterMs }
  // The record of a key that never signed was never found.
  const records = row.active_at === null ? removable : [...removable, old].slice(-removableMax)
  return {
    algorithm: row.next_algorithm ?? row.algorithm,
    selector: row.next_selector ?? row.selector,
    public_key: row.next_public_key ?? row.public_key,
    state: 'active' as const,
    active_at: now,
    absent_since: null,
    problem,
    removable: JSON.stringify(records),
    ...noRotation,
  }
}

/** How long a key is not looked up. */
function pauseAfter(row: DkimKeyRow, now: number): number {
  if (row.next_added_at !== null) return waitingPause(row.next_added_at, now)
  if (row.state === 'waiting') return waitingPause(row.date_added, now)
  if (row.state === 'missing') return waitingPause(row.absent_since ?? now, now)
  return row.absent_since === null ? activeMs : confirmMs
}

function waitingPause(since: number, now: number): number {
  return now - since < dayMs ? waitingMs : activeMs
}

/** Reads the records of keys that sign no more. */
export function readRemovable({ removable }: Pick<DkimKeyRow, 'removable'>): RemovableRecord[] {
  return JSON.parse(removable) as RemovableRecord[]
}
