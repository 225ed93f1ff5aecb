/** A part of each bar, such as the messages with one outcome. */
interface BarSeries {
  /** The outcome whose colour it has. */
  key: string
  label: string
  counts: readonly number[]
}

const ticks = 4
const labelsMax = 7

/** Counts over time as stacked bars with axes. A table beside it should say the same. */
export function BarChart({
  label,
  times,
  series,
  formatTime,
  formatCount,
}: {
  /** What the chart shows, for assistive technology. */
  label: string
  /** When each bar begins. */
  times: readonly string[]
  series: readonly BarSeries[]
  formatTime: (iso: string) => string
  formatCount: (count: number) => string
}) {
  const totals = times.map((_, at) =>
    series.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0),
  )
  const top = roundUp(Math.max(...totals, ticks))
  const labelStep = Math.ceil(times.length / labelsMax)
  return (
    <div class="bar-chart" role="img" aria-label={label}>
      <div class="bar-counts">
        {Array.from({ length: ticks + 1 }, (_, tick) => (
          <span key={tick}>{formatCount((top / ticks) * (ticks - tick))}</span>
        ))}
      </div>
      <div class="bars">
        {times.map((time, at) => {
          const parts = series.filter(({ counts }) => (counts[at] ?? 0) > 0)
          const texts = parts.map((part) => `${part.label} ${formatCount(part.counts[at] ?? 0)}`)
          return (
            <div key={time} data-late={at > times.length / 2}>
              <span class="bar-tip">{[formatTime(time), ...texts].join('\n')}</span>
              {parts.map(({ key, counts }) => (
                <i
                  key={key}
                  data-outcome={key}
                  style={{ height: `${(100 * (counts[at] ?? 0)) / top}%` }}
                />
              ))}
            </div>
          )
        })}
      </div>
      <div class="bar-times">
        {times.map((time, at) => (
          <span key={time} data-minor={(at / labelStep) % 2 === 1}>
            {at % labelStep === 0 && at + labelStep / 2 < times.length ? formatTime(time) : ''}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The next number whose quarters are round: 4, 8, 20, 40, 80, 200 … */
function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count))
  const factor = [1, 2, 4, 6, 8, 10].find(
    (each) => each * power >= count && (each * power) % ticks === 0,
  )
  return (factor ?? 20) * power
}
