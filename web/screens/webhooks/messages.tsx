import { useState } from 'preact/hooks'
import { eventTypes } from '../../../src/webhooks/event-types.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Badge } from '../../design/feedback.tsx'
import type { Column } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast, type Tone } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { PartList } from '../../records/part-list.tsx'
import { words } from '../../words/common.ts'
import { webhookWords } from '../../words/webhooks.ts'

const text = webhookWords.messages

type Message = Schema<'WebhookMessage'>

const tones: Record<Message['state'], Tone> = { queued: 'accent', done: 'good', failed: 'bad' }

function labelOf({ type }: Message): string {
  return Object.hasOwn(eventTypes, type)
    ? eventTypes[type as keyof typeof eventTypes].label
    : text.test
}

const columns: readonly Column<Message>[] = [
  {
    label: text.type,
    isName: true,
    show: (message) => (
      <>
        {labelOf(message)}
        <p class="quiet small clamp mono">{message.type}</p>
      </>
    ),
  },
  {
    label: text.state,
    show: ({ state, attempts, problem }) => (
      <>
        <Badge tone={tones[state]}>{text.states[state]}</Badge>
        {attempts > 0 && <p class="quiet small nowrap">{text.attempts(attempts)}</p>}
        {problem !== null && <p class="small">{problem}</p>}
      </>
    ),
  },
  { label: text.added, priority: 3, show: ({ dateAdded }) => <Time iso={dateAdded} /> },
  { label: text.next, priority: 4, show: ({ nextAttempt }) => <Time iso={nextAttempt} /> },
]

/** What was sent to a webhook, and what waits. */
export function Messages({ id }: { id: number }) {
  const [shown, setShown] = useState<Message>()
  const actions = (onDone: () => void): Column<Message> => ({
    label: text.actions,
    show: (message) => (
      <Actions id={id} message={message} onShow={() => setShown(message)} onDone={onDone} />
    ),
  })
  return (
    <>
      <PartList
        texts={text}
        empty={text.empty}
        options={text.states}
        columns={(reload) => [...columns, actions(reload)]}
        load={async ({ filter: state, ...page }, signal) => {
          const options = { path: { id }, query: { ...page, state }, signal }
          const { body } = await ask('GET', '/api/webhooks/{id}/messages', options)
          return { rows: body.messages, total: body.total }
        }}
      />
      {shown !== undefined && <Shown message={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

/** Shows a message, sends it now, or deletes it. */
function Actions({
  id,
  message,
  onShow,
  onDone,
}: {
  id: number
  message: Message
  onShow: () => void
  onDone: () => void
}) {
  const { isBusy, run } = useAction()
  const path = { id, messageId: message.id }
  const retry = async () => {
    await ask('POST', '/api/webhooks/{id}/messages/{messageId}/retry', { path })
    showToast(text.retried)
    onDone()
  }
  const remove = async () => {
    await ask('DELETE', '/api/webhooks/{id}/messages/{messageId}/delete', { path })
    showToast(text.deleted)
    onDone()
  }
  const button = (label: string, full: string, action: () => Promise<void>) => (
    <Button kind="plain" isBusy={isBusy} aria-label={full} onClick={() => void run(action)}>
      {label}
    </Button>
  )
  return (
    <span class="row">
      <Button kind="plain" aria-label={text.showOf(labelOf(message), message.id)} onClick={onShow}>
        {text.show}
      </Button>
      {can('api:edit') &&
        message.state !== 'done' &&
        button(text.retry, text.retryOf(message.id), retry)}
      {can('api:delete') && button(words.delete, text.deleteOf(message.id), remove)}
    </span>
  )
}

/** What is sent. */
function Shown({ message: { id, body }, onClose }: { message: Message; onClose: () => void }) {
  return (
    <Dialog title={text.body(id)} onClose={onClose}>
      <pre>{readable(body)}</pre>
      <div class="row">
        <Button kind="primary" onClick={onClose}>
          {words.close}
        </Button>
      </div>
    </Dialog>
  )
}

/** JSON on several lines; as it is, what is no JSON. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
