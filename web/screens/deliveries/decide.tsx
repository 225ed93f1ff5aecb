import type { ComponentChildren } from 'preact'
import { ConfirmButton } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { ask } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import type { Delivery } from '../../records/use-deliveries.ts'
import { deliveryWords } from '../../words/deliveries.ts'

const texts = deliveryWords.uncertain
const decisions = ['accepted', 'deferred'] as const

export function DecisionMeanings() {
  return <Facts facts={decisions.map((each) => [texts[each].action, texts[each].meaning])} />
}

/** What to look for in the log of the server: the Message-ID, which logs show without brackets too. */
export function searchText({ messageId, recipient }: Delivery): string {
  return messageId === null ? recipient : messageId.replace(/^<|>$/g, '')
}

export function DecideButtons({
  ids,
  onDecided,
}: {
  ids: readonly number[]
  onDecided: () => void
}): ComponentChildren {
  const decide = async (outcome: (typeof decisions)[number]) => {
    const body = { ids: [...ids], outcome }
    const { statusCodes } = (await ask('POST', '/api/deliveries/batch/settle', { body })).body
    const failed = statusCodes.filter((status) => status >= 400).length
    showToast(texts.decided(ids.length - failed))
    if (failed > 0) showToast(texts.notDecided(failed), 'bad')
    onDecided()
  }
  return decisions.map((each) => (
    <ConfirmButton
      key={each}
      action={texts[each].action}
      title={texts[each].title(ids.length)}
      text={texts[each].meaning}
      onConfirm={() => decide(each)}
    />
  ))
}
