import { useRoute } from 'preact-iso/router'
import { outcomes } from '../../../src/core/delivery/outcomes.ts'
import { ButtonLink } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import type { Fact } from '../../design/facts.tsx'
import { HelpLink, Notice } from '../../design/feedback.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { RouteSteps } from '../../design/route-steps.tsx'
import { Time } from '../../design/time.tsx'
import { withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { Attempts, MessageCard } from '../../records/message-parts.tsx'
import { DeliveryState } from '../../records/outcome-badge.tsx'
import { SendAgain } from '../../records/send-again.tsx'
import type { Delivery } from '../../records/use-deliveries.ts'
import { words } from '../../words/common.ts'
import { deliveryWords as texts } from '../../words/deliveries.ts'
import { formatExactTime } from '../../words/format.ts'
import { DecideButtons, DecisionMeanings, searchText } from './decide.tsx'
import { Events, RefusedSender } from './events.tsx'

const { labels, one, uncertain } = texts
const startedIntervalMs = 3_000
const othersMax = 8

/** One delivery: what happened, its route, and other messages to this address. */
export default function DeliveryScreen() {
  const id = Number(useRoute().params['id'])
  return <LoadedDelivery key={id} id={id} />
}

function LoadedDelivery({ id }: { id: number }) {
  const loaded = useAnswer('/api/deliveries/{id}', { path: { id } })
  const { delivery, inboxId, sendAgain } = loaded.data ?? {}
  const isStarted = delivery?.outcome === 'started'
  useRepeat(async () => loaded.refresh(), isStarted ? startedIntervalMs : undefined)
  return (
    <Page
      title={delivery?.subject ?? one.title(id)}
      back={{ href: '/deliveries', label: words.places.deliveries }}
      badge={delivery && <DeliveryState delivery={delivery} />}
      actions={
        <>
          {inboxId != null && <ButtonLink href={`/inbox/${inboxId}`}>{one.captured}</ButtonLink>}
          {sendAgain?.isPossible && delivery && (
            <SendAgain
              emailId={delivery.emailId ?? 0}
              contactId={delivery.contactId ?? 0}
              recipient={delivery.recipient}
              onSent={loaded.reload}
            />
          )}
        </>
      }
    >
      <Show loaded={loaded}>
        {(details) => (
          <RecordLayout
            side={
              <>
                <MessageCard
                  message={details.delivery}
                  contact={details.contact}
                  facts={factsOf(details.delivery)}
                />
                {can('contact:view') && <OtherDeliveries delivery={details.delivery} />}
              </>
            }
          >
            <Explanation delivery={details.delivery} onDecided={loaded.reload} />
            <Events events={details.events} delivery={details.delivery} />
            <Attempts attempts={details.attempts} shownId={id} />
            {details.delivery.trace.length > 0 && (
              <Card title={one.route}>
                <RouteSteps steps={details.delivery.trace} />
              </Card>
            )}
          </RecordLayout>
        )}
      </Show>
    </Page>
  )
}

function factsOf({ date, source, caller, providerId, class: about }: Delivery): Fact[] {
  return [
    [labels.time, <Time key="time" iso={date} />],
    [labels.class, about && texts.classes[about]],
    [labels.source, [words.sources[source], caller].filter(Boolean).join(', ')],
    [labels.providerId, providerId && <CopyText text={providerId} />],
  ]
}

/** Why it did not arrive or may not have, and what can be done. */
function Explanation({ delivery, onDecided }: { delivery: Delivery; onDecided: () => void }) {
  const { id, outcome, member, date, reason, reply } = delivery
  if (outcome === 'accepted' || outcome === 'started') return null
  const help = <HelpLink page="jane-did-not-get-her-mail" />
  if (outcome !== 'uncertain')
    return (
      <Notice tone={outcomes[outcome].tone}>
        <p>{reason ?? reply ?? words.none}</p>
        <RefusedSender reply={[reason, reply].join(' ')} delivery={delivery} />
        <p>{help}</p>
        {outcome === 'suppressed' && can('contact:view') && (
          <p>
            <a href={withQuery('/suppressions', { address: delivery.recipient })}>
              {one.suppressions}
            </a>
          </p>
        )}
      </Notice>
    )
  return (
    <Notice tone="warn">
      <div class="stack">
        <p>{reason ?? uncertain.explanation}</p>
        <p>
          {uncertain.lookIn(member, formatExactTime(date))} <CopyText text={searchText(delivery)} />
        </p>
        <DecisionMeanings />
        {can('email:send') && (
          <div class="row">
            <DecideButtons ids={[id]} onDecided={onDecided} />
          </div>
        )}
        <p>{help}</p>
      </div>
    </Notice>
  )
}

function OtherDeliveries({ delivery: { id, recipient, messageId } }: { delivery: Delivery }) {
  const loaded = useAnswer('/api/deliveries', { query: { recipient, limit: othersMax + 1 } })
  const others = (loaded.data?.deliveries ?? []).filter(
    (other) => other.id !== id && (messageId === null || other.messageId !== messageId),
  )
  if (others.length === 0) return <Show loaded={loaded}>{() => null}</Show>
  return (
    <Card title={one.others} tools={<a href={deliveriesHref({ recipient })}>{one.allOthers}</a>}>
      <ul class="lines">
        {others.map((other) => (
          <li key={other.id}>
            <div class="spread">
              <a href={`/deliveries/${other.id}`}>{other.subject ?? one.title(other.id)}</a>
              <DeliveryState delivery={other} />
            </div>
            <span class="quiet small">
              <Time iso={other.date} /> {other.transport}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
