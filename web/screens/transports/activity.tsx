import { Sparkline } from '../../design/sparkline.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { transportWords } from '../../words/transports.ts'

/** The deliveries of a transport in the last 24 hours, by the hour. */
export interface Activity {
  total: number
  counts: readonly number[]
  refused: readonly number[]
}

const none: Activity = { total: 0, counts: [], refused: [] }

/** Loads the deliveries of the last 24 hours of the transports on a page; undefined while they load. */
export function useActivity(ids: readonly number[]): ReadonlyMap<number, Activity> | undefined {
  const { data } = useData((signal) => load(ids, signal), [ids.join(',')])
  return data
}

async function load(ids: readonly number[], signal: AbortSignal) {
  if (ids.length === 0 || !can('email:view')) return new Map<number, Activity>()
  const query = { by: 'transport', step: '1h', transport: ids.join(',') }
  const path = '/api/deliveries/stats'
  const [all, refused] = await Promise.all([
    ask('GET', path, { query, signal }),
    ask('GET', path, { query: { ...query, outcome: 'deferred,refused' }, signal }),
  ])
  const faults = new Map(refused.body.series.map(({ key, counts }) => [key, counts]))
  return new Map(
    all.body.series.map(({ key, total, counts }) => [
      Number(key),
      { total, counts, refused: faults.get(key) ?? [] },
    ]),
  )
}

/** The deliveries of one transport: how many, and when. */
export function ActivityOf({
  id,
  activity,
}: {
  id: number
  activity: ReadonlyMap<number, Activity> | undefined
}) {
  if (activity === undefined) return null
  const { total, counts, refused } = activity.get(id) ?? none
  if (total === 0) return <span class="quiet">{words.none}</span>
  const faults = refused.reduce((sum, count) => sum + count, 0)
  return (
    <span class="activity">
      <Sparkline
        counts={counts}
        faults={refused}
        label={transportWords.list.activity(total, faults)}
      />
      <a href={`/deliveries?transportId=${id}`}>{formatNumber(total)}</a>
    </span>
  )
}
