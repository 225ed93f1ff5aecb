import { useState } from 'preact/hooks'
import { ActionButton } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { ApiFault, ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { isWholeTransport, type QueueFilters } from '../../records/queue.tsx'
import { words } from '../../words/common.ts'
import { queueWords as texts } from '../../words/queue.ts'

export type QueuedMessage = Schema<'QueuedMessage'>
export type QueueAction = keyof typeof texts.actions

/** The messages that an action is for: some, or all that match the filters. */
export type Target = { messages: readonly QueuedMessage[] } | { filters: QueueFilters }

const usualActions: readonly QueueAction[] = ['retry', 'hold', 'release', 'cancel']
const opposites: Partial<Record<QueueAction, QueueAction>> = { hold: 'release', release: 'hold' }

interface Question {
  action: QueueAction
  count: number
}

/** Buttons for messages in the queue. Each asks first, with the number; what changes selected messages has Undo afterwards, where it can be undone. */
export function QueueActions({
  target,
  actions = actionsOn(target),
  onChanged,
}: {
  target: Target
  actions?: readonly QueueAction[]
  onChanged: () => void
}) {
  const [question, setQuestion] = useState<Question>()
  if (!can('queue:edit')) return null
  const isOne = 'messages' in target && target.messages.length === 1
  const isOnTransport = 'filters' in target && isWholeTransport(target.filters)
  const begin = async (action: QueueAction) => {
    const asked = { action, count: await count(action, target) }
    if (asked.count === 0 && !isOnTransport) return showToast(texts.nothing, 'neutral')
    setQuestion(asked)
  }
  const change = async ({ action }: Question) => {
    const undo = undoOf(action, target)
    const { changed, skipped } = await carryOut(action, target)
    const undoAll = async () => {
      await undo?.()
      onChanged()
    }
    const text = texts.result(texts.actions[action].done, changed, skipped)
    showToast(text, 'good', undo === undefined ? undefined : undoAll)
    onChanged()
  }
  return (
    <>
      {actions.map((action) => (
        <ActionButton
          key={action}
          kind={action === 'cancel' ? 'danger' : undefined}
          action={() => begin(action)}
        >
          {isOne ? texts.actions[action].verb : texts.actions[action].action}
        </ActionButton>
      ))}
      {question !== undefined && (
        <Confirm
          {...textsOf(question, isOnTransport)}
          keep={isOne ? words.keepIt : words.keepThem}
          onConfirm={() => change(question)}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </>
  )
}

/** What is offered where nothing is known of the messages. */
function actionsOn(target: Target): readonly QueueAction[] {
  const isUnanswered = 'filters' in target && target.filters.transport === 'unanswered'
  return isUnanswered ? [...usualActions, 'sendUnanswered'] : usualActions
}

/** What is asked first. Some actions on a whole transport also change what arrives later. */
function textsOf({ action, count: number }: Question, isOnTransport: boolean) {
  const {
    verb,
    effect,
    effectOnTransport,
  }: { verb: string; effect: string; effectOnTransport?: string } = texts.actions[action]
  const label = texts.withNumber(verb, number)
  return isOnTransport && effectOnTransport !== undefined
    ? { title: texts.confirmOnTransport(verb, number), text: effectOnTransport, action: label }
    : { title: `${label}?`, text: effect, action: label }
}

interface Changed {
  changed: number
  skipped: number
}

async function count(action: QueueAction, target: Target): Promise<number> {
  if ('messages' in target) return target.messages.length
  return (await askAll(action, target.filters, { dryRun: '1' })).changed
}

function carryOut(action: QueueAction, target: Target): Promise<Changed> {
  return 'messages' in target
    ? changeEach(action, target.messages)
    : askAll(action, target.filters, {})
}

/** What undoes an action on selected messages: nothing changes for those that were so before. */
function undoOf(action: QueueAction, target: Target): (() => Promise<unknown>) | undefined {
  const opposite = opposites[action]
  if (opposite === undefined || !('messages' in target)) return undefined
  const changing = target.messages.filter(({ state }) => (state === 'held') === (action !== 'hold'))
  return () => changeEach(opposite, changing)
}

/** Changes single messages; those that left the queue or are being sent are skipped. */
async function changeEach(
  action: QueueAction,
  messages: readonly QueuedMessage[],
): Promise<Changed> {
  const result = { changed: 0, skipped: 0 }
  for (const { id } of messages) {
    try {
      await ask('POST', `/api/queue/messages/{id}/${action}`, { path: { id } })
      result.changed += 1
    } catch (error) {
      if (!(error instanceof ApiFault) || (error.status !== 404 && error.status !== 409))
        throw error
      result.skipped += 1
    }
  }
  return result
}

/** Changes all messages that match, or counts them. The server answers a part of many messages at a time. */
async function askAll(
  action: QueueAction,
  { transportId, mautic, brand, state, ...rest }: QueueFilters,
  query: { dryRun?: string },
): Promise<Changed> {
  const numbers = Object.entries({ transportId, mautic, brand }).filter(([, id]) => id)
  const filter = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value)),
    ...Object.fromEntries(numbers.map(([name, id]) => [name, Number(id)])),
    ...(state ? { state: state.split(',') } : {}),
  } as Schema<'QueueFilter'>
  const result = { changed: 0, skipped: 0 }
  for (let next: number | null = 0; next !== null; ) {
    const answer: { body: Changed & { next: number | null } } = await ask(
      'POST',
      `/api/queue/${action}`,
      { body: { ...filter, next }, query },
    )
    result.changed += answer.body.changed
    result.skipped += answer.body.skipped
    next = answer.body.next
  }
  return result
}
