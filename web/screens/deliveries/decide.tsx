import { Confirm } from '../../design/dialog.tsx'
import { ask } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { deliveryWords } from '../../words/deliveries.ts'

const texts = deliveryWords.uncertain

export type Decision = 'accepted' | 'deferred'
const decisions: readonly Decision[] = ['accepted', 'deferred']

/** What each decision does. */
export function DecisionMeanings() {
  return (
    <dl class="facts">
      {decisions.map((decision) => (
        <div key={decision} class="fact">
          <dt>{texts[decision].action}</dt>
          <dd>{texts[decision].meaning}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Asks before uncertain deliveries are decided. */
export function Decide({
  ids,
  decision,
  onDecided,
  onClose,
}: {
  ids: readonly number[]
  decision: Decision
  onDecided: () => void
  onClose: () => void
}) {
  const { action, title, meaning } = texts[decision]
  const decide = async () => {
    const body = { ids: [...ids], outcome: decision }
    const { statusCodes } = (await ask('POST', '/api/deliveries/batch/settle', { body })).body
    const failed = statusCodes.filter((status) => status >= 400).length
    showToast(texts.decided(ids.length - failed))
    if (failed > 0) showToast(texts.notDecided(failed), 'bad')
    onDecided()
  }
  return (
    <Confirm
      title={title(ids.length)}
      text={meaning}
      action={action}
      onConfirm={decide}
      onClose={onClose}
    />
  )
}
