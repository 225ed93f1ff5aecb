import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { ButtonLink } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { DeleteButton } from '../../design/dialog.tsx'
import { type Fact, Facts } from '../../design/facts.tsx'
import { Badge, Warnings } from '../../design/feedback.tsx'
import { CheckField } from '../../design/field.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { Time } from '../../design/time.tsx'
import { ask, request, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAnswer, useData } from '../../lib/use-data.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { TransportLink } from '../../records/transports.tsx'
import { words } from '../../words/common.ts'
import { formatBytes } from '../../words/format.ts'
import { inboxWords as text } from '../../words/inbox.ts'

type Message = Schema<'InboxMessage'>

const { labels } = text
/** More would make the page slow. */
const sourceShownMax = 200_000

export default function MessageScreen() {
  const id = Number(useRoute().params['id'])
  return <LoadedMessage key={id} id={id} />
}

function LoadedMessage({ id }: { id: number }) {
  const { route } = useLocation()
  const loaded = useAnswer('/api/inbox/{id}', { path: { id } })
  const data = loaded.data?.message
  const subject = data === undefined ? text.title : data.subject || text.noSubject
  const remove = async () => {
    await ask('DELETE', '/api/inbox/{id}', { path: { id } })
    showToast(text.remove.done)
    route('/inbox', true)
  }
  return (
    <Page
      title={subject}
      back={{ href: '/inbox', label: text.title }}
      badge={<Badge>{text.notSent}</Badge>}
      actions={
        data !== undefined &&
        can('email:delete') && (
          <DeleteButton
            title={text.remove.title(subject)}
            text={text.remove.text}
            onConfirm={remove}
          />
        )
      }
    >
      <Show loaded={loaded}>
        {({ message }) => (
          <RecordLayout side={<Side message={message} />}>
            <Warnings texts={message.problems} />
            <Parts message={message} />
          </RecordLayout>
        )}
      </Show>
    </Page>
  )
}

function Side({ message }: { message: Message }) {
  const { sender, recipients, transport, transportId, date, messageId, attachments } = message
  const facts: Fact[] = [
    [labels.sender, sender || text.nullSender],
    [labels.recipients, recipients.join(', ')],
    [labels.transport, transport && <TransportLink id={transportId} name={transport} />],
    [labels.time, <Time key="time" iso={date} />],
    [labels.size, formatBytes(message.sizeBytes)],
    [labels.messageId, messageId && <CopyText text={messageId} />],
  ]
  return (
    <>
      <Card
        title={text.message}
        tools={messageId && <a href={deliveriesHref({ messageId })}>{words.places.deliveries}</a>}
      >
        <Facts facts={facts} />
      </Card>
      {attachments.length > 0 && (
        <Card title={text.attachments}>
          <ul class="lines">
            {attachments.map(({ filename, contentType, sizeBytes }, index) => (
              <li key={index}>{text.attachment(filename, contentType, formatBytes(sizeBytes))}</li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

function Parts({ message }: { message: Message }) {
  const [shown, setShown] = useState<keyof typeof text.tabs>(
    message.html === null ? 'text' : 'html',
  )
  return (
    <section class="card" aria-label={text.parts}>
      <Tabs label={text.parts} tabs={text.tabs} shown={shown} onShow={setShown}>
        {shown === 'html' && <Html message={message} />}
        {shown === 'text' &&
          (message.text ? <pre>{message.text}</pre> : <p class="quiet">{text.noText}</p>)}
        {shown === 'headers' && (
          <Facts facts={message.headers.map(({ name, value }) => [name, value])} />
        )}
        {shown === 'source' && <Source message={message} />}
      </Tabs>
    </section>
  )
}

function Html({ message: { id, html } }: { message: Message }) {
  const [hasImages, setImages] = useState(false)
  if (html === null) return <p class="quiet">{text.noHtml}</p>
  const src = withQuery(`/api/inbox/${id}/html`, hasImages ? { images: 1 } : {})
  return (
    <>
      <CheckField
        label={text.images}
        help={text.imagesHelp}
        value={hasImages}
        onValue={setImages}
      />
      {/* Nothing of it is trusted. The policy of `src` decides whether it may load pictures. */}
      <iframe key={src} class="mail-frame" sandbox="" title={text.frame} src={src} />
    </>
  )
}

function Source({ message: { id, sizeBytes } }: { message: Message }) {
  const path = `/api/inbox/${id}/source`
  const loaded = useData(
    async (signal) => (await request(path, { isRead: true, signal })).text(),
    [id],
  )
  return (
    <>
      <div class="row">
        <ButtonLink href={path} download={`message-${id}.eml`}>
          {text.downloadSource}
        </ButtonLink>
      </div>
      <Show loaded={loaded}>
        {(source) => (
          <>
            {source.length > sourceShownMax && (
              <p class="quiet small">
                {text.cut(formatBytes(sourceShownMax), formatBytes(sizeBytes))}
              </p>
            )}
            <pre>{source.slice(0, sourceShownMax)}</pre>
          </>
        )}
      </Show>
    </>
  )
}
