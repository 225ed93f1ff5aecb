import type { ComponentChildren } from 'preact'
import { useLocation, useRoute } from 'preact-iso/router'
import { DeleteButton } from '../../design/delete-button.tsx'
import { Facts } from '../../design/facts.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { formatBytes } from '../../words/format.ts'
import { inboxWords } from '../../words/inbox.ts'
import { MessageParts } from './message-parts.tsx'

export type Message = Schema<'InboxMessage'>

const text = inboxWords
const { labels } = text

/** One captured message. */
export function MessageScreen() {
  const id = Number(useRoute().params['id'])
  return <LoadedMessage key={id} id={id} />
}

function LoadedMessage({ id }: { id: number }) {
  const { route } = useLocation()
  const loaded = useData(
    async (signal) => (await ask('GET', '/api/inbox/{id}', { path: { id }, signal })).body.message,
    [id],
  )
  const subject = loaded.data === undefined ? text.title : loaded.data.subject || text.noSubject
  const remove = async () => {
    await ask('DELETE', '/api/inbox/{id}', { path: { id } })
    showToast(text.remove.done)
    route('/inbox', true)
  }
  const actions = (
    <>
      <a href="/inbox">{text.all}</a>
      {loaded.data !== undefined && can('email:delete') && (
        <DeleteButton
          title={text.remove.title(subject)}
          text={text.remove.text}
          onDelete={remove}
        />
      )}
    </>
  )
  return (
    <Page title={subject} actions={actions}>
      <Show loaded={loaded}>
        {(message) => (
          <>
            {message.problems.map((problem) => (
              <Notice key={problem} tone="warn">
                {problem}
              </Notice>
            ))}
            <section class="card" aria-label={subject}>
              <div class="row">
                <Badge>{text.notSent}</Badge>
              </div>
              <Facts facts={factsOf(message)} />
            </section>
            <MessageParts message={message} />
            {message.attachments.length > 0 && <Attachments message={message} />}
          </>
        )}
      </Show>
    </Page>
  )
}

function factsOf(message: Message): [string, ComponentChildren][] {
  const { sender, recipients, transport, transportId, date, messageId, sizeBytes } = message
  const isLinked = transportId !== null && transport !== null && can('multipleTransports:view')
  return [
    [labels.sender, sender || text.nullSender],
    [labels.recipients, recipients.join(', ')],
    [
      labels.transport,
      isLinked ? <a href={`/transports/${transportId}`}>{transport}</a> : transport,
    ],
    [labels.time, <Time key="time" iso={date} />],
    [labels.messageId, messageId],
    [labels.size, formatBytes(sizeBytes)],
  ]
}

function Attachments({ message: { id, attachments } }: { message: Message }) {
  return (
    <section class="card" aria-label={text.attachments}>
      <h2>{text.attachments}</h2>
      <ul>
        {attachments.map(({ filename, contentType, sizeBytes }, index) => {
          const name = filename || text.unnamed(index + 1)
          return (
            <li key={index}>
              <a href={`/api/inbox/${id}/attachments/${index + 1}`} download={name}>
                {text.attachment(name, contentType, formatBytes(sizeBytes))}
              </a>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
