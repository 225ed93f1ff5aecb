import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { outcomes } from '../../../src/delivery/outcomes.ts'
import type { Outcome } from '../../records/delivery-filters.ts'
import { formatNumber } from '../../words/format.ts'
import { overviewWords } from '../../words/overview.ts'
import type { Stats } from './outcomes.tsx'

const heightPx = 200
const barShare = 0.8
const tokens = {
  good: '--good',
  warn: '--warn',
  bad: '--bad',
  accent: '--accent',
  neutral: '--quiet',
} as const

/** The counts as stacked bars. The table beside it says the same to those who cannot see it. */
export function Chart({ stats }: { stats: Stats }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = ref.current
    if (place === null) return
    let plot: uPlot | undefined
    let isClosed = false
    const draw = async () => {
      const { default: Plot } = await import('uplot')
      if (isClosed) return
      plot?.destroy()
      plot = new Plot(optionsOf(stats, place, Plot), stack(stats), place)
    }
    const redraw = () => void draw().catch(() => undefined)
    redraw()
    const size = new ResizeObserver(() =>
      plot?.setSize({ width: place.clientWidth, height: heightPx }),
    )
    size.observe(place)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', redraw)
    const scheme = new MutationObserver(redraw)
    scheme.observe(document.documentElement, { attributeFilter: ['data-scheme'] })
    return () => {
      isClosed = true
      size.disconnect()
      scheme.disconnect()
      dark.removeEventListener('change', redraw)
      plot?.destroy()
    }
  }, [stats])
  return <div ref={ref} class="chart" role="img" aria-label={overviewWords.outcomes.chart} />
}

/** Each series is drawn from zero and lies behind the next one, so it contains the counts of those after it. */
function stack({ times, series }: Stats): uPlot.AlignedData {
  const sums = series.map((_, index) =>
    times.map((__, at) =>
      series.slice(index).reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0),
    ),
  )
  return [times.map((time) => Date.parse(time) / 1_000), ...sums]
}

function optionsOf(stats: Stats, place: HTMLElement, { paths }: typeof uPlot): uPlot.Options {
  const axis = {
    stroke: colorOf(place, '--quiet'),
    grid: { stroke: colorOf(place, '--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(place).fontFamily}`,
  }
  const [first = '', second = ''] = stats.times
  const stepSeconds = (Date.parse(second) - Date.parse(first)) / 1_000 || 0
  const bars = paths.bars?.({ size: [barShare, 40], align: 1 })
  return {
    width: place.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // The last bar begins at the last time.
      x: { range: (_plot, least, most) => [least, most + stepSeconds] },
      y: { range: (_plot, _least, most) => [0, Math.max(most * 1.1, 4)] },
    },
    axes: [axis, { ...axis, size: 56, values: (_plot, ticks) => ticks.map(formatTick) }],
    series: [
      {},
      ...stats.series.map(({ key }) => ({
        fill: colorOf(place, tokens[outcomes[key as Outcome].tone]),
        width: 0,
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars }),
      })),
    ],
  }
}

function formatTick(value: number): string {
  return Number.isInteger(value) ? formatNumber(value) : ''
}

/** A canvas does not know the tokens, so the browser resolves them. */
function colorOf(place: HTMLElement, token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  place.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
