import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Badge, showToast, type Tone } from '../../design/feedback.tsx'
import { Selection } from '../../design/selection.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import type { Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { words } from '../../words.ts'
import { originColumns } from '../mautics/origin-columns.tsx'
import { useEmailNames } from '../mautics/use-email-names.ts'
import { changeAll, changeEach, countAll, type QueueAction } from './change-queue.ts'
import type { QueueFilters } from './filters.ts'

type QueuedMessage = Schema<'QueuedMessage'>

const { labels } = texts
const actions = Object.keys(texts.actions) as QueueAction[]
const tones: Record<QueuedMessage['state'], Tone> = {
  queued: 'neutral',
  deferred: 'warn',
  sending: 'accent',
  held: 'neutral',
  uncertain: 'warn',
}

const columnsOf = (origin: readonly Column<QueuedMessage>[]): readonly Column<QueuedMessage>[] => [
  {
    label: labels.recipient,
    show: ({ recipient, sender }) => (
      <div class="narrow-address">
        {recipient}
        {sender !== '' && <p class="quiet small">{texts.from(sender)}</p>}
      </div>
    ),
  },
  ...origin,
  {
    label: labels.state,
    show: ({ state, lane }) => (
      <>
        <Badge tone={tones[state]}>{texts.states[state]}</Badge>
        <p class="quiet small nowrap">{texts.lanes[lane]}</p>
      </>
    ),
  },
  {
    label: labels.transport,
    show: ({ transport }) => <div class="name">{transport ?? words.none}</div>,
  },
  { label: labels.added, show: ({ dateAdded }) => <Time iso={dateAdded} /> },
  {
    label: labels.nextAttempt,
    show: ({ nextAttempt, attempts }) => (
      <>
        {nextAttempt === null ? words.none : <Time iso={nextAttempt} />}
        {attempts > 0 && <p class="quiet small">{texts.attempts(attempts)}</p>}
      </>
    ),
  },
  {
    label: labels.problem,
    show: ({ problem }) => <span class="small clamp">{problem ?? words.none}</span>,
  },
]

/** The messages of a page. Actions are for those that are selected, or for all that match the filters. */
export function QueueMessages({
  messages,
  filters,
  onChanged,
}: {
  messages: readonly QueuedMessage[]
  filters: QueueFilters
  onChanged: () => void
}) {
  const [selected, onSelect] = useState<ReadonlySet<number>>(new Set())
  const [confirming, setConfirming] = useState<{ action: QueueAction; count: number }>()
  const nameOf = useEmailNames(messages)
  const mayChange = can('queue:edit')
  // Messages leave the queue while the page is open.
  const ids = messages.map(({ id }) => id).filter((id) => selected.has(id))
  const selecting = { selected: new Set(ids), onSelect }
  const change = async (chosen: QueueAction) => {
    const { changed, skipped } =
      ids.length > 0 ? await changeEach(chosen, ids) : await changeAll(chosen, filters)
    showToast(texts.result(texts.actions[chosen].done, changed, skipped))
    onSelect(new Set())
    onChanged()
  }
  const confirm = async (action: QueueAction) => {
    const count = ids.length > 0 ? ids.length : await countAll(action, filters)
    setConfirming({ action, count })
  }
  const { isBusy, run } = useAction()
  const buttons = actions.map((each) => (
    <Button key={each} isBusy={isBusy} onClick={() => run(() => confirm(each))}>
      {texts.actions[each].action}
    </Button>
  ))
  return (
    <>
      <Selection {...selecting}>{buttons}</Selection>
      {mayChange && ids.length === 0 && (
        <div class="row">
          <span class="quiet small">{texts.all}</span>
          {buttons}
        </div>
      )}
      <Table
        caption={texts.messages}
        rows={messages}
        columns={columnsOf(originColumns(messages, nameOf))}
        keyOf={({ id }) => id}
        {...(mayChange ? selecting : {})}
      />
      {confirming !== undefined && (
        <Confirm
          title={texts.confirm(texts.actions[confirming.action].action, confirming.count)}
          text={texts.actions[confirming.action].effect}
          action={texts.actions[confirming.action].action}
          onConfirm={() => change(confirming.action)}
          onClose={() => setConfirming(undefined)}
        />
      )}
    </>
  )
}
