import { useState } from 'preact/hooks'
import { eventTypes } from '../../../src/core/published/event-types.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { OutboxList } from '../../records/outbox.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'

const text = {
  title: 'Messages',
  help: 'A message that its receiver does not accept is sent again, with growing pauses, for three days.',
  empty: 'No message yet. “Send a test” sends one.',
  noMatch: 'No message is in this state.',
  type: 'Event',
  test: 'Test',
  showOf: (label: string, id: number) => `Show message ${formatNumber(id)}: ${label}`,
  body: (id: number) => `Message ${formatNumber(id)}`,
  of: (id: number) => `message ${formatNumber(id)}`,
} as const

type Message = Schema<'WebhookMessage'>

function labelOf({ type }: Message): string {
  return Object.hasOwn(eventTypes, type)
    ? eventTypes[type as keyof typeof eventTypes].label
    : text.test
}

export function Messages({ id }: { id: number }) {
  const [shown, setShown] = useState<Message>()
  const pathOf = (message: Message) => ({ path: { id, messageId: message.id } })
  return (
    <>
      <OutboxList<Message>
        texts={text}
        name={{
          label: text.type,
          kind: 'name',
          show: (message) => (
            <>
              {labelOf(message)}
              <p class="quiet small clamp mono">{message.type}</p>
            </>
          ),
        }}
        load={async (query, signal) => {
          const options = { path: { id }, query, signal }
          const { body } = await ask('GET', '/api/webhooks/{id}/messages', options)
          return { rows: body.messages, total: body.total }
        }}
        nameOf={(message) => text.of(message.id)}
        retry={(each) => ask('POST', '/api/webhooks/{id}/messages/{messageId}/retry', pathOf(each))}
        remove={(each) =>
          ask('DELETE', '/api/webhooks/{id}/messages/{messageId}/delete', pathOf(each))
        }
        tools={(message) => (
          <Button
            kind="plain"
            aria-label={text.showOf(labelOf(message), message.id)}
            onClick={() => setShown(message)}
          >
            {words.show}
          </Button>
        )}
      />
      {shown !== undefined && (
        <Dialog
          title={text.body(shown.id)}
          done={words.close}
          onClose={() => setShown(undefined)}
          size="medium"
        >
          <pre>{readable(shown.body)}</pre>
        </Dialog>
      )}
    </>
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
