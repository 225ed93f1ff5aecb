import type { ComponentChildren } from 'preact'
import { Button } from '../design/button.tsx'
import { Badge } from '../design/feedback.tsx'
import { LongText } from '../design/long-text.tsx'
import type { Column } from '../design/table.tsx'
import { Time } from '../design/time.tsx'
import { can } from '../lib/session.ts'
import { showToast, type Tone } from '../lib/toasts.ts'
import { useAction } from '../lib/use-action.ts'
import { words } from '../words/common.ts'
import { outboxWords as text } from '../words/outbox.ts'

/** What is sent to a receiver until it accepts it: a report to a Mautic, a message to a webhook. */
interface OutboxItem {
  state: keyof typeof text.states
  attempts: number
  problem: string | null
  dateAdded: string
  nextAttempt: string | null
}

const tones: Record<OutboxItem['state'], Tone> = { queued: 'accent', done: 'good', failed: 'bad' }

export const outboxState: Column<OutboxItem> = {
  label: text.state,
  show: ({ state, attempts, problem }) => (
    <>
      <Badge tone={tones[state]}>{text.states[state]}</Badge>
      {attempts > 0 && <p class="quiet small nowrap">{text.attempts(attempts)}</p>}
      {problem !== null && (
        <p class="small reply">
          <LongText text={problem} />
        </p>
      )}
    </>
  ),
}

export const outboxTimes: readonly Column<OutboxItem>[] = [
  { label: text.added, priority: 3, show: ({ dateAdded }) => <Time iso={dateAdded} /> },
  {
    label: text.next,
    priority: 4,
    show: ({ nextAttempt }) => <Time iso={nextAttempt} past={text.inTurn} />,
  },
]

/** Sends one now, or deletes it. */
export function OutboxActions({
  state,
  texts,
  retry,
  remove,
  onDone,
  children,
}: {
  state: OutboxItem['state']
  texts: Record<'retryOf' | 'retried' | 'deleteOf' | 'deleted', string>
  retry: () => Promise<unknown>
  remove: () => Promise<unknown>
  onDone: () => void
  /** Other actions, before these. */
  children?: ComponentChildren
}) {
  const { isBusy, run } = useAction()
  const after = (action: () => Promise<unknown>, done: string) => async () => {
    await action()
    showToast(done)
    onDone()
  }
  const button = (label: string, full: string, action: () => Promise<void>) => (
    <Button kind="plain" isBusy={isBusy} aria-label={full} onClick={() => void run(action)}>
      {label}
    </Button>
  )
  return (
    <span class="row">
      {children}
      {can('api:edit') &&
        state !== 'done' &&
        button(text.retry, texts.retryOf, after(retry, texts.retried))}
      {can('api:delete') && button(words.delete, texts.deleteOf, after(remove, texts.deleted))}
    </span>
  )
}
