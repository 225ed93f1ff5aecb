import { deliveryEvents } from '../../../src/core/delivery/events.ts'
import { outcomes } from '../../../src/core/delivery/outcomes.ts'
import { BarChart } from '../../design/bar-chart.tsx'
import { Card, Show } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { ask, type Body, serverNow, withQuery } from '../../lib/api.ts'
import { ofBrand, shownBrand } from '../../lib/brand.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useFresh } from '../../lib/use-data.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { refreshMs } from '../../records/part.tsx'
import {
  formatClock,
  formatDay,
  formatExactTime,
  formatNumber,
  formatShare,
} from '../../words/format.ts'

const texts = {
  title: { outcome: 'Messages by outcome', event: 'Events' },
  noEvents:
    'No provider has reported anything about the messages of this time. The page of a transport says how to set up its events.',
  range: 'Time',
  ranges: { hour: 'Hour', day: 'Day', week: 'Week' },
  chart: 'Chart of the messages. The table below has its numbers.',
  table: 'Table',
  time: 'Since',
} as const

const hourMs = 3_600_000

/** The times that can be shown, and the time between two bars. */
const ranges = {
  hour: { ms: hourMs, step: '1m' },
  day: { ms: 24 * hourMs, step: '1h' },
  week: { ms: 7 * 24 * hourMs, step: '6h' },
} as const
type Range = keyof typeof ranges
type Stats = Body<'GET', '/api/deliveries/stats'> & {
  /** What the shares are of. */
  all: number
}

/** What is counted: how the attempts ended, or what happened after a server accepted the message. */
type View = keyof typeof texts.title
const tables: Record<View, Readonly<Record<string, { label: string }>>> = {
  outcome: outcomes,
  event: deliveryEvents,
}
const labelOf = (by: string, key: string) => tables[by as View][key]?.label ?? key

/** The messages by outcome, or by event, over the last hour, day or week: as numbers, as a chart and as a table. */
export function Outcomes() {
  const { query } = useAddress()
  const asked = query['range'] ?? ''
  const range: Range = asked in ranges ? (asked as Range) : 'day'
  const view: View = query['by'] === 'event' ? 'event' : 'outcome'
  const { ms, step } = ranges[range]
  const loaded = useFresh(
    async (signal) => {
      const from = new Date(serverNow() - ms).toISOString()
      const count = async (counted: { by: View; outcome?: 'accepted' }) => {
        const options = { query: { from, step, ...counted, ...ofBrand() }, signal }
        return (await ask('GET', '/api/deliveries/stats', options)).body
      }
      const [stats, accepted] = await Promise.all([
        count({ by: view }),
        view === 'event' ? count({ by: 'outcome', outcome: 'accepted' }) : undefined,
      ])
      return { ...stats, all: (accepted ?? stats).total }
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
            {texts.ranges[name]}
          </a>
        ))}
      </nav>
    </div>
  )
  return (
    <Card title={texts.title[view]} tools={tools}>
      <Show loaded={loaded}>
        {(stats) => (
          <>
            <Totals stats={stats} />
            {stats.total === 0 && view === 'event' && <p class="quiet small">{texts.noEvents}</p>}
            <BarChart
              label={texts.chart}
              times={stats.times}
              series={stats.series.map(({ key, counts }) => ({
                key,
                label: labelOf(stats.by, key),
                counts,
              }))}
              formatTime={range === 'week' ? formatDay : formatClock}
              formatCount={formatNumber}
            />
            <details>
              <summary>{texts.table}</summary>
              <CountTable stats={stats} />
            </details>
          </>
        )}
      </Show>
    </Card>
  )
}

function Totals({ stats: { series, by, from, all } }: { stats: Stats }) {
  return (
    <dl class="totals">
      {series.map(({ key, total }) => (
        <div key={key} data-outcome={key}>
          <dt>{labelOf(by, key)}</dt>
          <dd>
            <a href={deliveriesHref({ [by]: key, from })}>{formatNumber(total)}</a>
            {total > 0 && <span class="quiet small">{formatShare(total, all)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function CountTable({ stats: { times, series, by } }: { stats: Stats }) {
  const rows = times.map((time, index) => ({ time, index })).toReversed()
  return (
    <Table
      caption={texts.title[by as View]}
      rows={rows}
      keyOf={({ time }) => time}
      columns={[
        { label: texts.time, show: ({ time }) => formatExactTime(time) },
        ...series.map(({ key, counts }) => ({
          label: labelOf(by, key),
          isNumber: true,
          show: ({ index }: { index: number }) => formatNumber(counts[index] ?? 0),
        })),
      ]}
    />
  )
}
