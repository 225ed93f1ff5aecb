import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Empty } from '../../design/feedback.tsx'
import { Selection } from '../../design/selection.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import type { Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { originColumns } from '../../records/origin-columns.tsx'
import { isWholeTransport, type QueueFilters } from '../../records/queue-filters.ts'
import { QueueStateBadge } from '../../records/queue-state-badge.tsx'
import { useEmailNames } from '../../records/use-email-names.ts'
import { words } from '../../words/common.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { changeAll, changeEach, countAll, type QueueAction } from './change-queue.ts'

type QueuedMessage = Schema<'QueuedMessage'>

const { labels } = texts
const actions = Object.keys(texts.actions) as QueueAction[]

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
    show: ({ state, lane, broadcastId }) => (
      <>
        <QueueStateBadge state={state} />
        <p class="quiet small nowrap">{texts.lanes[lane]}</p>
        {broadcastId !== null && (
          <p class="quiet small nowrap">
            <BroadcastName id={broadcastId} />
          </p>
        )}
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

function BroadcastName({ id }: { id: number }): ComponentChildren {
  const name = texts.broadcast(id)
  return can('email:view') ? <a href={`/broadcasts/${id}`}>{name}</a> : name
}

/** The messages of a page. Actions are for those that are selected, or for all that match the filters. */
export function QueueMessages({
  messages,
  empty,
  filters,
  onChanged,
}: {
  messages: readonly QueuedMessage[]
  /** What is said where there are none: a transport can be held without messages. */
  empty: string
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
      {messages.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <Table
          caption={texts.messages}
          rows={messages}
          columns={columnsOf(originColumns(messages, nameOf))}
          keyOf={({ id }) => id}
          {...(mayChange ? selecting : {})}
        />
      )}
      {confirming !== undefined && (
        <Confirm
          {...questionOf(confirming, ids.length === 0 && isWholeTransport(filters))}
          onConfirm={() => change(confirming.action)}
          onClose={() => setConfirming(undefined)}
        />
      )}
    </>
  )
}

/** What a question says before an action. Some actions on a whole transport also change what arrives later. */
function questionOf(
  { action, count }: { action: QueueAction; count: number },
  isOnTransport: boolean,
): { title: string; text: string; action: string } {
  const {
    action: label,
    effect,
    effectOnTransport,
  }: { action: string; effect: string; effectOnTransport?: string } = texts.actions[action]
  if (isOnTransport && effectOnTransport !== undefined)
    return {
      title: texts.confirmOnTransport(label, count),
      text: effectOnTransport,
      action: label,
    }
  return { title: texts.confirm(label, count), text: effect, action: label }
}
