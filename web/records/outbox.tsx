import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ActionButton } from '../design/button.tsx'
import { Badge } from '../design/feedback.tsx'
import { choicesOf } from '../design/field.tsx'
import { Card } from '../design/page.tsx'
import type { Column } from '../design/table.tsx'
import type { Schema } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { showToast, type Tone } from '../lib/toasts.ts'
import { words } from '../words/common.ts'
import { timeColumn } from './columns.tsx'
import type { ListFilter } from './filters.tsx'
import { ResourceList } from './list.tsx'

const text = {
  states: { queued: 'Waiting', done: 'Accepted', failed: 'Failed' },
  added: 'Since',
  next: 'Next attempt',
  inTurn: 'after the one before it',
  actions: 'Action',
  retry: 'Send now',
  retryOf: (name: string) => `Send now: ${name}`,
  retried: (name: string) => `Sent now: ${name}.`,
  deleteOf: (name: string) => `Delete ${name}`,
  deleted: (name: string) => `Deleted: ${name}.`,
} as const

/** What is sent to a receiver until it accepts it: a report to a Mautic, a message to a webhook. */
type OutboxItem = Pick<
  Schema<'WebhookMessage'>,
  'id' | 'state' | 'attempts' | 'problem' | 'dateAdded' | 'nextAttempt'
>

interface OutboxListProps<Item> {
  texts: Record<'title' | 'help' | 'empty' | 'noMatch', string>
  /** The column before the state. */
  name: Column<Item>
  /** The columns after it. */
  facts?: readonly Column<Item>[]
  /** Loads a page of a state; of all of them where it is empty. */
  load: (
    query: { start: number; limit: number; state: string },
    signal: AbortSignal,
  ) => Promise<{ rows: readonly Item[]; total: number }>
  /** What it is called in a sentence, such as “message 5”. */
  nameOf: (item: Item) => string
  retry: (item: Item) => Promise<unknown>
  remove: (item: Item) => Promise<unknown>
  /** Other actions, before these. */
  tools?: (item: Item) => ComponentChildren
}

const tones: Record<OutboxItem['state'], Tone> = { queued: 'wait', done: 'good', failed: 'bad' }

const stateFilter: ListFilter = {
  name: 'state',
  label: words.state,
  options: choicesOf(text.states),
}

const stateColumn: Column<OutboxItem> = {
  label: words.state,
  kind: 'state',
  show: ({ state, attempts, problem }) => (
    <>
      <Badge tone={tones[state]}>{text.states[state]}</Badge>
      {attempts > 0 && <p class="quiet small">{words.attempts(attempts)}</p>}
      {problem !== null && <p class="small">{problem}</p>}
    </>
  ),
}

const timeColumns: readonly Column<OutboxItem>[] = [
  timeColumn(text.added, ({ dateAdded }) => dateAdded, { priority: 3 }),
  timeColumn(text.next, ({ nextAttempt }) => nextAttempt, { priority: 4, past: text.inTurn }),
]

/** What was sent to a receiver and what waits, as one part of its page: each can be sent now, or deleted. */
export function OutboxList<Item extends OutboxItem>(props: OutboxListProps<Item>) {
  const { texts, name, facts = [], load, tools } = props
  const [version, setVersion] = useState(0)
  const actions: Column<Item> = {
    label: text.actions,
    kind: 'actions',
    show: (item) => <Actions {...props} item={item} onDone={() => setVersion(version + 1)} />,
  }
  const hasActions = tools !== undefined || can('api:edit') || can('api:delete')
  return (
    <Card title={texts.title}>
      <p class="quiet small">{texts.help}</p>
      <ResourceList
        texts={texts}
        columns={[name, stateColumn, ...facts, ...timeColumns, ...(hasActions ? [actions] : [])]}
        load={({ start, limit, state = '' }, signal) =>
          load({ start, limit, state: String(state) }, signal)
        }
        filters={[stateFilter]}
        brandBy="none"
        refreshMs={10_000}
        version={version}
      />
    </Card>
  )
}

function Actions<Item extends OutboxItem>({
  item,
  nameOf,
  retry,
  remove,
  tools,
  onDone,
}: OutboxListProps<Item> & { item: Item; onDone: () => void }) {
  const name = nameOf(item)
  const button = (label: string, full: string, action: typeof retry, done: string) => (
    <ActionButton
      kind="plain"
      aria-label={full}
      action={async () => {
        await action(item)
        showToast(done)
        onDone()
      }}
    >
      {label}
    </ActionButton>
  )
  return (
    <span class="row">
      {tools?.(item)}
      {can('api:edit') &&
        item.state !== 'done' &&
        button(text.retry, text.retryOf(name), retry, text.retried(name))}
      {can('api:delete') && button(words.delete, text.deleteOf(name), remove, text.deleted(name))}
    </span>
  )
}
