import { BarChart } from '../../design/bar-chart.tsx'
import { Card, Show } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { ask, type Body, serverNow } from '../../lib/api.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useFresh } from '../../lib/use-fresh.ts'
import { deliveriesHref, type Outcome } from '../../records/delivery-filters.ts'
import { words } from '../../words/common.ts'
import {
  formatClock,
  formatDay,
  formatExactTime,
  formatNumber,
  formatShare,
} from '../../words/format.ts'
import { overviewWords } from '../../words/overview.ts'
import { refreshMs } from './part.tsx'

const texts = overviewWords.outcomes
const hourMs = 3_600_000

/** The times that can be shown, and the time between two bars. */
const ranges = {
  hour: { ms: hourMs, step: '1m' },
  day: { ms: 24 * hourMs, step: '1h' },
  week: { ms: 7 * 24 * hourMs, step: '6h' },
} as const
type Range = keyof typeof ranges
type Stats = Body<'GET', '/api/deliveries/stats'>

/** The messages by outcome over the last hour, day or week: as numbers, as a chart and as a table. */
export function Outcomes() {
  const { query } = useAddress()
  const asked = query['range'] ?? ''
  const range: Range = asked in ranges ? (asked as Range) : 'day'
  const { ms, step } = ranges[range]
  const loaded = useFresh(
    async (signal) => {
      const from = new Date(serverNow() - ms).toISOString()
      const stats = { from, step, by: 'outcome' }
      return (await ask('GET', '/api/deliveries/stats', { query: stats, signal })).body
    },
    [range],
    refreshMs,
  )
  const tools = (
    <nav class="row" aria-label={texts.range}>
      {(Object.keys(ranges) as Range[]).map((name) => (
        <a
          key={name}
          class="tab"
          href={`/?range=${name}`}
          aria-current={name === range ? 'true' : undefined}
        >
          {texts.ranges[name]}
        </a>
      ))}
    </nav>
  )
  return (
    <Card title={texts.title} tools={tools}>
      <Show loaded={loaded}>
        {(stats) => (
          <>
            <Totals stats={stats} />
            <BarChart
              label={texts.chart}
              times={stats.times}
              series={stats.series.map(({ key, counts }) => ({
                key,
                label: words.outcomes[key as Outcome],
                counts,
              }))}
              formatTime={range === 'week' ? formatDay : (iso) => formatClock(iso, Date.parse(iso))}
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

function Totals({ stats: { series, from, total: all } }: { stats: Stats }) {
  return (
    <dl class="totals">
      {series.map(({ key, total }) => (
        <div key={key} data-outcome={key}>
          <dt>{words.outcomes[key as Outcome]}</dt>
          <dd>
            <a href={deliveriesHref({ outcome: key, from })}>{formatNumber(total)}</a>
            {total > 0 && <span class="quiet small">{formatShare(total, all)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function CountTable({ stats: { times, series } }: { stats: Stats }) {
  const rows = times.map((time, index) => ({ time, index })).toReversed()
  return (
    <Table
      caption={texts.title}
      rows={rows}
      keyOf={({ time }) => time}
      columns={[
        { label: texts.time, show: ({ time }) => formatExactTime(time) },
        ...series.map(({ key, counts }) => ({
          label: words.outcomes[key as Outcome],
          isNumber: true,
          show: ({ index }: { index: number }) => formatNumber(counts[index] ?? 0),
        })),
      ]}
    />
  )
}
