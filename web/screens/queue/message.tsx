import { useRoute } from 'preact-iso/router'
import { Facts } from '../../design/facts.tsx'
import { Empty, Notice } from '../../design/feedback.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import type { Body } from '../../lib/api.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { Attempts, MessageCard } from '../../records/message-parts.tsx'
import { NextAttempt, QueueStateBadge } from '../../records/queue.tsx'
import { TransportLink } from '../../records/transports.tsx'
import { words } from '../../words/common.ts'
import { formatBytes } from '../../words/format.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { QueueActions } from './queue-actions.tsx'

type Details = Body<'GET', '/api/queue/messages/{id}'>

const { labels, one } = texts
const refreshMs = 5_000

/** One queued message to one recipient: its attempts and headers, and what can be done with it. */
export default function QueuedMessageScreen() {
  const id = Number(useRoute().params['id'])
  return <LoadedMessage key={id} id={id} />
}

function LoadedMessage({ id }: { id: number }) {
  const loaded = useAnswer('/api/queue/messages/{id}', { path: { id } })
  // It was sent, or cancelled.
  const isGone = loaded.fault?.status === 404
  const data = isGone ? undefined : loaded.data
  useRepeat(async () => loaded.refresh(), isGone ? undefined : refreshMs)
  return (
    <Page
      title={data?.message.subject ?? one.title(id)}
      back={{ href: '/queue', label: words.places.queue }}
      badge={data && <QueueStateBadge state={data.message.state} />}
      actions={
        data && (
          <QueueActions
            target={{ messages: [data.message] }}
            actions={data.actions}
            onChanged={loaded.reload}
          />
        )
      }
    >
      {isGone ? (
        <Empty>
          <p>{one.gone}</p>
          <a href="/deliveries">{words.places.deliveries}</a>
        </Empty>
      ) : (
        <Show loaded={loaded}>
          {(details) => (
            <RecordLayout side={<Side details={details} />}>
              <Notice tone={details.message.state === 'uncertain' ? 'warn' : 'neutral'}>
                <p>{texts.stateHelp[details.message.state]}</p>
                {details.message.problem !== null && (
                  <p>{one.lastAnswer(details.message.problem)}</p>
                )}
                {details.deliveryId !== null && (
                  <a href={`/deliveries/${details.deliveryId}`}>{one.decide}</a>
                )}
              </Notice>
              <Attempts attempts={details.attempts} />
              <Card title={one.headers}>
                {details.headers === null ? (
                  <p class="quiet">{details.headersNote}</p>
                ) : (
                  <Facts facts={details.headers.map(({ name, value }) => [name, value])} />
                )}
              </Card>
            </RecordLayout>
          )}
        </Show>
      )}
    </Page>
  )
}

function Side({ details: { message, contact, recipients } }: { details: Details }) {
  const { messageId, lane, transport, transportId, sizeBytes } = message
  return (
    <>
      <Card title={words.state}>
        <Facts
          facts={[
            [labels.transport, transport && <TransportLink id={transportId} name={transport} />],
            [labels.lane, texts.lanes[lane]],
            [labels.attempts, message.attempts],
            [labels.nextAttempt, <NextAttempt key="next" message={message} />],
            [labels.added, <Time key="added" iso={message.dateAdded} />],
            [labels.expires, <Time key="expires" iso={message.expires} />],
          ]}
        />
      </Card>
      <MessageCard
        message={message}
        contact={contact}
        facts={[
          [labels.caller, message.caller],
          [labels.size, sizeBytes === 0 ? null : formatBytes(sizeBytes)],
        ]}
        tools={messageId && <a href={deliveriesHref({ messageId })}>{words.places.deliveries}</a>}
      />
      {recipients.length > 0 && (
        <Card title={one.recipients}>
          <ul class="lines">
            {recipients.map((other) => (
              <li key={other.id} class="spread">
                <a href={`/queue/${other.id}`}>{other.recipient}</a>
                <QueueStateBadge state={other.state} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}
