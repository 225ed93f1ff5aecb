import type { ComponentChildren } from 'preact'
import { deliveryEvents } from '../../../src/core/delivery/events.ts'
import { outcomes } from '../../../src/core/delivery/outcomes.ts'
import { BarChart } from '../../design/bar-chart.tsx'
import { Card, Show } from '../../design/page.tsx'
import { Sparkline } from '../../design/sparkline.tsx'
import { Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Body, serverNow, withQuery } from '../../lib/api.ts'
import { ofBrand, shownBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useFresh } from '../../lib/use-data.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { refreshMs } from '../../records/part.tsx'
import { countQueued } from '../../records/queue.tsx'
import { countUncertain } from '../../records/use-deliveries.ts'
import { words } from '../../words/common.ts'
import {
  formatClock,
  formatDay,
  formatExactTime,
  formatNumber,
  formatShare,
} from '../../words/format.ts'
import { NeedsYou } from './needs-you.tsx'

const texts = {
  title: { outcome: 'Messages by outcome', event: 'Events' },
  noEvents:
    'No provider has reported anything about the messages of this time. The page of a transport says how to set up its events.',
  range: 'Time',
  chart: 'Chart of the messages. The table below has its numbers.',
  table: 'Table',
  time: 'Since',
  waiting: 'Waiting',
  trend: (label: string, range: string) => `${label}: trend of the ${range}`,
  points: (points: number) => `${formatNumber(points)} points`,
  same: (before: string) => `As the ${before} before`,
  ofRange: (count: string, range: string) => `${count} of them in the last ${range}`,
  change: (change: string, isMore: boolean, before: string) =>
    `${change} ${isMore ? 'more' : 'less'} than the ${before} before`,
} as const

const hourMs = 3_600_000

/** The times that can be shown, the time between two bars, and how many bars that is. */
const ranges = {
  hour: { label: 'Hour', ms: hourMs, step: '1m', bars: 60 },
  day: { label: 'Day', ms: 24 * hourMs, step: '1h', bars: 24 },
  week: { label: 'Week', ms: 7 * 24 * hourMs, step: '6h', bars: 28 },
} as const
type Range = keyof typeof ranges
type Stats = Body<'GET', '/api/deliveries/stats'>

/** What is counted: how the attempts ended, or what happened after a server accepted the message. */
type View = keyof typeof texts.title
const tables: Record<View, Readonly<Record<string, { label: string }>>> = {
  outcome: outcomes,
  event: deliveryEvents,
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** The messages of the last hour, day or week beside those before: as tiles, as a chart by outcome or event, and as a table. */
export function Outcomes() {
  const { query } = useAddress()
  const asked = query['range'] ?? ''
  const range: Range = asked in ranges ? (asked as Range) : 'day'
  const view: View = query['by'] === 'event' ? 'event' : 'outcome'
  const loaded = useFresh(
    async (signal) => {
      const { ms, step } = ranges[range]
      const count = async (by: View) => {
        const from = new Date(serverNow() - 2 * ms).toISOString()
        const options = { query: { from, step, by, ...ofBrand() }, signal }
        return (await ask('GET', '/api/deliveries/stats', options)).body
      }
      const [ended, shown, queue, uncertain] = await Promise.all([
        count('outcome'),
        view === 'event' ? count(view) : undefined,
        can('queue:view') ? ask('GET', '/api/queue', { query: ofBrand(), signal }) : undefined,
        countUncertain(signal),
      ])
      return { ended, shown: shown ?? ended, groups: queue?.body.groups, uncertain }
    },
    [range, view, shownBrand.value],
    refreshMs,
  )
  const other: View = view === 'event' ? 'outcome' : 'event'
  const tools = (
    <div class="row">
      <a class="small" href={withQuery('/', { range: query['range'], by: other })}>
        {texts.title[other]}
      </a>
      <nav class="row" aria-label={texts.range}>
        {(Object.keys(ranges) as Range[]).map((name) => (
          <a
            key={name}
            class="tab"
            href={withQuery('/', { range: name, by: query['by'] })}
            aria-current={name === range ? 'true' : undefined}
          >
            {ranges[name].label}
          </a>
        ))}
      </nav>
    </div>
  )
  return (
    <>
      {loaded.data !== undefined && <Tiles {...loaded.data} range={range} />}
      <NeedsYou />
      <Card title={texts.title[view]} tools={tools}>
        <Show loaded={loaded}>
          {({ ended, shown }) => (
            <Chart
              stats={lastOf(shown, range)}
              // Shares of events are of what was accepted.
              all={sum(
                lastOf(ended, range).series.flatMap(({ key, total }) =>
                  view === 'outcome' || key === 'accepted' ? total : [],
                ),
              )}
              range={range}
            />
          )}
        </Show>
      </Card>
    </>
  )
}

/** The later half of the counts: those of the range itself. */
function lastOf(stats: Stats, range: Range): Stats {
  const { bars } = ranges[range]
  const series = stats.series.map((each) => {
    const counts = each.counts.slice(-bars)
    return { ...each, counts, total: sum(counts) }
  })
  return { ...stats, times: stats.times.slice(-bars), series }
}

/** What matters most, each with its trend and the difference to the time before. */
function Tiles({
  ended,
  groups,
  uncertain,
  range,
}: {
  ended: Stats
  groups: Body<'GET', '/api/queue'>['groups'] | undefined
  /** How many are uncertain in all. */
  uncertain: number
  range: Range
}) {
  const { bars } = ranges[range]
  const countsOf = (key: string) => ended.series.find((each) => each.key === key)?.counts ?? []
  const all = ended.times.map((_, at) => sum(ended.series.map(({ counts }) => counts[at] ?? 0)))
  const halves = (counts: readonly number[]) =>
    [counts.slice(-bars), counts.slice(-2 * bars, -bars)].map(sum) as [number, number]
  const from = ended.times.at(-bars)
  const changeOf = (now: number, before: number, format = formatNumber) =>
    now === before
      ? texts.same(range)
      : texts.change(format(Math.abs(now - before)), now > before, range)
  const [accepted, acceptedBefore] = halves(countsOf('accepted'))
  const [refused, refusedBefore] = halves(countsOf('refused'))
  const [attempted, attemptedBefore] = halves(all)
  const pointsOf = (count: number, total: number) => Math.round((1_000 * count) / total) / 10
  const ofOutcome = (key: 'accepted' | 'deferred' | 'refused' | 'uncertain') => {
    const { label } = outcomes[key]
    const counts = countsOf(key).slice(-bars)
    const trend = { counts, faults: counts, outcome: key, label: texts.trend(label, range) }
    return { label, href: deliveriesHref({ outcome: key, from }), trend: <Sparkline {...trend} /> }
  }
  const oldest = groups?.flatMap((group) => group.oldest ?? []).sort()[0]
  return (
    <ul class="tiles">
      <Tile
        {...ofOutcome('accepted')}
        figure={attempted === 0 ? words.none : formatShare(accepted, attempted)}
      >
        {attempted > 0 &&
          attemptedBefore > 0 &&
          changeOf(
            pointsOf(accepted, attempted),
            pointsOf(acceptedBefore, attemptedBefore),
            texts.points,
          )}
      </Tile>
      {groups !== undefined && (
        <Tile
          {...ofOutcome('deferred')}
          label={texts.waiting}
          href="/queue"
          figure={formatNumber(sum(groups.map(countQueued)))}
        >
          {oldest && Date.parse(oldest) < serverNow() - 60_000 && (
            <>
              {words.oldest} <Time iso={oldest} />
            </>
          )}
        </Tile>
      )}
      <Tile {...ofOutcome('refused')} figure={formatNumber(refused)}>
        {changeOf(refused, refusedBefore)}
      </Tile>
      <Tile
        {...ofOutcome('uncertain')}
        href={deliveriesHref({ outcome: 'uncertain' })}
        figure={formatNumber(uncertain)}
      >
        {uncertain > 0 && texts.ofRange(formatNumber(halves(countsOf('uncertain'))[0]), range)}
      </Tile>
    </ul>
  )
}

function Tile({
  label,
  href,
  figure,
  trend,
  children,
}: {
  label: string
  href: string
  figure: string
  trend: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <li class="card">
      <a href={href}>
        {label} <strong>{figure}</strong>
      </a>
      {trend}
      <p class="quiet small">{children}</p>
    </li>
  )
}

function Chart({ stats, all, range }: { stats: Stats; all: number; range: Range }) {
  const { times, by } = stats
  const named = stats.series.map((each) => ({
    ...each,
    label: tables[by as View][each.key]?.label ?? each.key,
  }))
  const rows = times.map((time, index) => ({ time, index })).toReversed()
  const isSilent = by === 'event' && named.every(({ total }) => total === 0)
  return (
    <>
      {isSilent && <p class="quiet small">{texts.noEvents}</p>}
      <BarChart
        label={texts.chart}
        times={times}
        series={named}
        formatTime={range === 'week' ? formatDay : formatClock}
        formatCount={formatNumber}
      />
      <ul class="totals">
        {named
          .filter(({ total }) => total > 0)
          .map(({ key, label, total }) => (
            <li key={key} data-outcome={key}>
              <a href={deliveriesHref({ [by]: key, from: times[0] })}>{label}</a>{' '}
              {formatNumber(total)} <span class="quiet">{formatShare(total, all)}</span>
            </li>
          ))}
      </ul>
      <details>
        <summary>{texts.table}</summary>
        <Table
          caption={texts.title[by as View]}
          rows={rows}
          keyOf={({ time }) => time}
          columns={[
            { label: texts.time, show: ({ time }) => formatExactTime(time) },
            ...named.map(({ label, counts }) => ({
              label,
              kind: 'number' as const,
              show: ({ index }: { index: number }) => formatNumber(counts[index] ?? 0),
            })),
          ]}
        />
      </details>
    </>
  )
}
