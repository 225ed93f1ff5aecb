import { useState } from 'preact/hooks'
import { eventTypes } from '../../../src/core/published/event-types.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import type { Column } from '../../design/table.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { OutboxActions, outboxState, outboxTimes } from '../../records/outbox.tsx'
import { PartList } from '../../records/part-list.tsx'
import { words } from '../../words/common.ts'
import { outboxWords } from '../../words/outbox.ts'
import { webhookWords } from '../../words/webhooks.ts'

const text = webhookWords.messages

type Message = Schema<'WebhookMessage'>

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
  outboxState,
  ...outboxTimes,
]

/** What was sent to a webhook, and what waits. */
export function Messages({ id }: { id: number }) {
  const [shown, setShown] = useState<Message>()
  const actions = (onDone: () => void): Column<Message> => ({
    label: outboxWords.actions,
    show: (message) => {
      const options = { path: { id, messageId: message.id } }
      return (
        <OutboxActions
          state={message.state}
          texts={text.of(message.id)}
          retry={() => ask('POST', '/api/webhooks/{id}/messages/{messageId}/retry', options)}
          remove={() => ask('DELETE', '/api/webhooks/{id}/messages/{messageId}/delete', options)}
          onDone={onDone}
        >
          <Button
            kind="plain"
            aria-label={text.showOf(labelOf(message), message.id)}
            onClick={() => setShown(message)}
          >
            {words.show}
          </Button>
        </OutboxActions>
      )
    },
  })
  return (
    <>
      <PartList
        texts={text}
        empty={text.empty}
        options={outboxWords.states}
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
