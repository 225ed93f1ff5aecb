import { CheckField, TextField } from '../../design/field.tsx'
import type { Form } from '../../lib/use-form.ts'
import { limitWords as text } from '../../words/limits.ts'
import { type Draft, readNumber, warmUpOf } from './draft.ts'
import { WarmUpChart } from './warm-up-chart.tsx'

const { labels } = text

/** The slow start of a limit: three numbers and their curve. */
export function WarmUpFields({ form: { draft, set, fault } }: { form: Form<Draft> }) {
  const warmUp = warmUpOf(draft)
  const faultOf = (name: string) => fault?.details[name]?.join(' ')
  return (
    <fieldset class="group limit-fields">
      <legend>{text.warmUp.title}</legend>
      <CheckField
        label={text.warmUp.use}
        value={draft.hasWarmUp}
        onValue={set('hasWarmUp')}
        help={text.warmUp.help}
      />
      {draft.hasWarmUp && (
        <>
          <TextField
            label={labels.startDate}
            type="date"
            required
            value={draft.startDate}
            onValue={set('startDate')}
            fault={faultOf('warmUp.startDate') ?? faultOf('warmUp')}
          />
          <TextField
            label={labels.firstDay}
            type="number"
            inputMode="numeric"
            required
            value={draft.firstDay}
            onValue={set('firstDay')}
            fault={faultOf('warmUp.firstDay')}
          />
          <TextField
            label={labels.growthPercent}
            type="number"
            inputMode="decimal"
            step="any"
            required
            value={draft.growthPercent}
            onValue={set('growthPercent')}
            fault={faultOf('warmUp.growthPercent')}
          />
          {warmUp !== undefined && (
            <WarmUpChart warmUp={warmUp} perDay={readNumber(draft.perDay) ?? undefined} />
          )}
        </>
      )}
    </fieldset>
  )
}
