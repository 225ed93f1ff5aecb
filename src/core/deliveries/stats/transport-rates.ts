import { pause } from '../../../kit/pause.ts'
import { ownedBy } from '../../../platform/resource/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import {
  type AttemptOutcome,
  attemptOutcomes,
  type DeliveryTables,
  hourMs,
  minuteMs,
} from '../../delivery/index.ts'
import { countByTransport, type TransportCounts } from './count-by-transport.ts'
import { type CountFilter, readCounts } from './read-counts.ts'

/** A reason why attempts through a transport failed. */
export interface TransportFault {
  /** What failed, without addresses and ids; the newest of its kind. */
  text: string
  outcome: FailingOutcome
  /** How many of the sampled attempts failed for it. */
  count: number
  lastAt: number
}

/** What happened to the attempts through a transport. */
export interface TransportRate extends TransportCounts {
  /** How many of its attempts failed since it began to fail; null if it does not fail at the end of the range. */
  failing: { since: number; attempted: number; failed: number } | null
  /** The most frequent ones first. */
  faults: TransportFault[]
}

const failingOutcomes = attemptOutcomes.filter((each) => each !== 'accepted')
type FailingOutcome = Exclude<AttemptOutcome, 'accepted'>

/** The newest attempts of a transport whose faults are grouped: reading them blocks SQLite for some milliseconds. */
export const faultSampleMax = 500
/** The transports whose faults are read. */
export const faultTransportsMax = 20
const faultsMax = 5
/** A transport fails while this share of its attempts does, if there are so many, or if none of the range succeeded. */
const failing = { shareMin: 0.2, attemptsMin: 5, transportsMax: 100 }

/**
 * Counts what happened to the attempts through each transport, and groups why they failed. Those that fail since the latest minute
 * come first, then those with the most attempts.
 *
 * @param range whole minutes; `to` is exclusive
 */
export async function readTransportRates(
  storage: Storage,
  range: { from: number; to: number },
  only: Parameters<typeof countByTransport>[2] = {},
): Promise<TransportRate[]> {
  const counts = await countByTransport(storage, range, only)
  const { brands } = only
  const rates = counts
    .filter(({ attempted }) => attempted > 0)
    .map((each): TransportRate => ({ ...each, failing: null, faults: [] }))
    .sort((one, other) => other.attempted - one.attempted || one.transportId - other.transportId)
  const isFaulty = ({ accepted, attempted }: TransportRate) => accepted < attempted
  for (const rate of rates.filter(isFaulty).slice(0, failing.transportsMax)) {
    rate.failing = await findFailing(storage, { to: range.to, brands }, rate)
    await pause()
  }
  rates.sort((one, other) => sinceOf(other) - sinceOf(one))
  for (const rate of rates.filter(isFaulty).slice(0, faultTransportsMax)) {
    rate.faults = groupFaults(await readFaults(storage, { ...range, brands }, rate.transportId))
    await pause()
  }
  return rates
}

const sinceOf = (rate: TransportRate) => rate.failing?.since ?? 0

/** Looks from the newest minute back, for a day at most, up to one in which enough attempts succeeded. */
async function findFailing(
  storage: Storage,
  { to, brands }: { to: number } & Pick<CountFilter, 'brands'>,
  { transportId, accepted }: TransportRate,
): Promise<TransportRate['failing']> {
  const filter = { transportIds: [transportId], brands, outcomes: attemptOutcomes }
  const range = { from: to - 24 * hourMs, to, stepMs: minuteMs }
  const points = await readCounts(storage, 'outcome', { range, filter })
  const minutes = [...Map.groupBy(points, ({ at }) => Number(at))]
  const run = { since: to, attempted: 0, failed: 0 }
  for (const [since, outcomes] of minutes.sort(([one], [other]) => other - one)) {
    const sum = (some: typeof points) => some.reduce((total, { count }) => total + count, 0)
    const attempted = sum(outcomes)
    const failed = sum(outcomes.filter(({ key }) => key !== 'accepted'))
    if (failed < attempted * failing.shareMin) break
    Object.assign(run, { since, attempted: run.attempted + attempted, failed: run.failed + failed })
  }
  return run.attempted >= failing.attemptsMin || accepted === 0 ? run : null
}

interface FaultRow {
  started_at: number
  outcome: FailingOutcome
  reply: string | null
  reason: string | null
}

/** Reads the failed ones among the newest attempts of a transport, the newest first. */
async function readFaults(
  storage: Storage,
  { from, to, brands }: { from: number; to: number } & Pick<CountFilter, 'brands'>,
  transportId: number,
): Promise<FaultRow[]> {
  const db = storage.tables<DeliveryTables>()
  const newest = db
    .selectFrom('deliveries')
    .select(['started_at', 'id', 'outcome', 'reply', 'reason', 'brand_id'])
    .where('transport_id', '=', transportId)
    .where('started_at', '>=', from)
    .where('started_at', '<', to)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(faultSampleMax)
  return db
    .selectFrom(newest.as('newest'))
    .select(['started_at', 'outcome', 'reply', 'reason'])
    .where(ownedBy({ brands: brands ?? 'all' }))
    .where('outcome', 'in', failingOutcomes)
    .$narrowType<{ outcome: FailingOutcome }>()
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

function groupFaults(rows: readonly FaultRow[]): TransportFault[] {
  const groups = new Map<string, TransportFault>()
  for (const { outcome, reason, reply, started_at: startedAt } of rows) {
    const text = commonText(reason ?? reply ?? '')
    const key = `${outcome} ${text}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { text, outcome, count: 1, lastAt: Number(startedAt) })
    else group.count++
  }
  return [...groups.values()].sort((one, other) => other.count - one.count).slice(0, faultsMax)
}

/** An address; it is looked for only where a word begins, so that a long text takes linear time. */
const addresses = /<?(?<![^\s<>@"(),;:])[^\s<>@"(),;:]+@[^\s<>@"(),;]+>?/g

/** Replaces what differs between equal faults: addresses, and words of six or more characters with a digit, such as ids. */
export function commonText(text: string): string {
  return text
    .replace(addresses, '…')
    .replace(/[\w-]{6,}/g, (word) => (/\d/.test(word) ? '…' : word))
    .slice(0, 500)
}
