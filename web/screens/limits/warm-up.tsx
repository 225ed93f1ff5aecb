import { CheckField, TextField } from '../../design/field.tsx'
import { type Form, field } from '../../lib/use-form.ts'
import { formatNumber } from '../../words/format.ts'
import { limitWords } from '../../words/limits.ts'
import { type Draft, readNumber, warmUpOf } from './draft.ts'

const { warmUp: text } = limitWords

/** The slow start of a limit: three numbers and their curve. */
export function WarmUpFields({ form }: { form: Form<Draft> }) {
  const { draft, fault } = form
  const warmUp = warmUpOf(draft)
  const faultOf = (name: string) => fault?.details[`warmUp.${name}`]?.join(' ')
  return (
    <fieldset class="group">
      <legend>{text.title}</legend>
      <CheckField {...field(form, 'hasWarmUp')} />
      {draft.hasWarmUp && (
        <div class="fields">
          <TextField
            {...field(form, 'startDate')}
            type="date"
            required
            fault={faultOf('startDate') ?? fault?.details['warmUp']?.join(' ')}
          />
          <TextField
            {...field(form, 'firstDay')}
            type="number"
            inputMode="numeric"
            required
            fault={faultOf('firstDay')}
          />
          <TextField
            {...field(form, 'growthPercent')}
            type="number"
            inputMode="decimal"
            step="any"
            required
            fault={faultOf('growthPercent')}
          />
        </div>
      )}
      {warmUp !== null && (
        <WarmUpChart warmUp={warmUp} perDay={readNumber(draft.perDay) ?? undefined} />
      )}
    </fieldset>
  )
}

type WarmUp = NonNullable<ReturnType<typeof warmUpOf>>

const daysMax = 30
/** Without a daily maximum, the curve ends where it has grown by this factor. */
const growthMax = 100
const height = 100
const dayMs = 86_400_000

/** What each day of a warm-up allows: the same arithmetic as in the API. */
function allowancesOf({ firstDay, growthPercent }: WarmUp, perDay: number | undefined): number[] {
  const allowances = Array.from({ length: daysMax }, (_, index) => {
    const grown = firstDay * (1 + growthPercent / 100) ** index
    return Math.min(Math.floor(grown + 1e-6), perDay ?? Number.MAX_SAFE_INTEGER)
  })
  if (perDay !== undefined) return allowances
  const last = allowances.findIndex((allowance) => allowance >= firstDay * growthMax)
  return last < 1 ? allowances : allowances.slice(0, last + 1)
}

/** The first days of a warm-up, at most a month, as a curve with axes. Today is marked. */
function WarmUpChart({ warmUp, perDay }: { warmUp: WarmUp; perDay: number | undefined }) {
  const allowances = allowancesOf(warmUp, perDay)
  const days = allowances.length
  const most = Math.max(1, ...allowances)
  const today = Math.floor((Date.now() - Date.parse(warmUp.startDate)) / dayMs) + 1
  const day = Math.min(days, Math.max(1, today))
  const yOf = (value: number) => height - (value / most) * height
  const points = allowances.map((each, index) => `${index},${yOf(each).toFixed(1)}`).join(' ')
  return (
    <figure class="warm-up">
      <figcaption class="spread small">
        <span class="quiet">{text.axis}</span>
        <strong>{text.of(day, day === today, allowances[day - 1] ?? 0)}</strong>
      </figcaption>
      <div class="warm-up-plot">
        <div class="warm-up-scale small quiet" aria-hidden="true">
          {[most, Math.round(most / 2), 0].map((value) => (
            <span key={value}>{formatNumber(value)}</span>
          ))}
        </div>
        <div role="img" aria-label={text.chart(days, allowances.at(-1) ?? 0)}>
          <svg viewBox={`0 0 ${days - 1} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            <line class="grid" x1={0} x2={days - 1} y1={height / 2} y2={height / 2} />
            <polygon points={`0,${height} ${points} ${days - 1},${height}`} />
            <polyline points={points} />
            <line x1={day - 1} x2={day - 1} y1={0} y2={height} />
          </svg>
        </div>
        <div class="warm-up-days small quiet" aria-hidden="true">
          {[...new Set([1, Math.round(days / 3), Math.round((days * 2) / 3), days])].map((each) => (
            <span key={each} style={{ left: `${((each - 1) / (days - 1)) * 100}%` }}>
              {text.day(each)}
            </span>
          ))}
        </div>
      </div>
    </figure>
  )
}
