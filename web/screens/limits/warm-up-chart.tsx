import { limitWords } from '../../words/limits.ts'

const text = limitWords.warmUp

/** What the API calls a warm-up. */
export interface WarmUp {
  startDate: string
  firstDay: number
  growthPercent: number
}

const daysShown = 30
const width = 320
const height = 96

/** What each day of a warm-up allows: the same arithmetic as in the API. */
export function allowancesOf(
  { firstDay, growthPercent }: WarmUp,
  perDay: number | undefined,
): number[] {
  return Array.from({ length: daysShown }, (_, index) => {
    const grown = firstDay * (1 + growthPercent / 100) ** index
    return Math.min(Math.floor(grown + 1e-6), perDay ?? Number.MAX_SAFE_INTEGER)
  })
}

const dayMs = 86_400_000

/** The first month of a warm-up as a curve, with a line for today. */
export function WarmUpChart({ warmUp, perDay }: { warmUp: WarmUp; perDay: number | undefined }) {
  const allowances = allowancesOf(warmUp, perDay)
  const last = allowances.at(-1) ?? 0
  const most = Math.max(1, last)
  const xOf = (day: number) => (((day - 1) / (daysShown - 1)) * width).toFixed(1)
  const today = Math.floor((Date.now() - Date.parse(warmUp.startDate)) / dayMs) + 1
  const points = allowances.map((allowance, index) => {
    return `${xOf(index + 1)},${(height - (allowance / most) * (height - 4)).toFixed(1)}`
  })
  return (
    <figure class="warm-up">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text.chart(daysShown, last)}
      >
        <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} />
        <polyline points={points.join(' ')} />
        {today >= 1 && today <= daysShown && (
          <line x1={xOf(today)} x2={xOf(today)} y1={0} y2={height} />
        )}
      </svg>
      <figcaption class="spread small quiet">
        {[1, 10, 20, daysShown].map((day) => (
          <span key={day}>
            {text.day(day)}
            <br />
            {text.count(allowances[day - 1] ?? 0)}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}
