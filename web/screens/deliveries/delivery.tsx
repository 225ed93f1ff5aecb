import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { outcomes } from '../../../src/delivery/outcomes.ts'
import { Button } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { Facts } from '../../design/facts.tsx'
import { HelpLink, Notice } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { RouteSteps } from '../../design/route-steps.tsx'
import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { MauticName } from '../../records/mautic-name.tsx'
import { EmailName } from '../../records/origin-columns.tsx'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import type { Delivery } from '../../records/use-deliveries.ts'
import { useEmailNames } from '../../records/use-email-names.ts'
import { words } from '../../words/common.ts'
import { deliveryWords } from '../../words/deliveries.ts'
import { formatExactTime } from '../../words/format.ts'
import { mauticNameWords } from '../../words/mautic-names.ts'
import { Attempts } from './attempts.tsx'
import { Decide, type Decision, DecisionMeanings } from './decide.tsx'
import { OtherDeliveries } from './other-deliveries.tsx'
import { searchText } from './uncertain.tsx'

const texts = deliveryWords
const { labels, one } = texts
const startedIntervalMs = 3_000

/** One delivery: what happened, its route, and the other attempts for this address. */
export function DeliveryScreen() {
  const id = Number(useRoute().params['id'])
  return <LoadedDelivery key={id} id={id} />
}

function LoadedDelivery({ id }: { id: number }) {
  const loaded = useData(
    async (signal) =>
      (await ask('GET', '/api/deliveries/{id}', { path: { id }, signal })).body.delivery,
    [id],
  )
  useRepeat(async () => {
    if (loaded.data?.outcome === 'started') loaded.reload()
  }, startedIntervalMs)
  return (
    <Page title={one.title(id)} actions={<a href="/deliveries">{one.all}</a>}>
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            <Summary delivery={delivery} onDecided={loaded.reload} />
            <div class="columns">
              <div class="stack">
                <Attempts delivery={delivery} />
                <Route delivery={delivery} />
              </div>
              <Message delivery={delivery} />
            </div>
            {can('contact:view') && <OtherDeliveries delivery={delivery} />}
          </>
        )}
      </Show>
    </Page>
  )
}

/** What became of it, and what can be done. */
function Summary({ delivery, onDecided }: { delivery: Delivery; onDecided: () => void }) {
  const { outcome, recipient, date, reason, reply } = delivery
  const isMissing = outcome !== 'accepted' && outcome !== 'started'
  return (
    <>
      <p class="row">
        <OutcomeBadge outcome={outcome} />
        <strong>{recipient}</strong>
        <span class="quiet">
          <Time iso={date} />
        </span>
      </p>
      {isMissing && outcome !== 'uncertain' && (
        <Notice tone={outcomes[outcome].tone}>{reason ?? reply ?? words.none}</Notice>
      )}
      {outcome === 'uncertain' && <Uncertain delivery={delivery} onDecided={onDecided} />}
      {isMissing && (
        <p>
          <HelpLink page="jane-did-not-get-her-mail">{texts.task}</HelpLink>
        </p>
      )}
    </>
  )
}

/** What to look for, and the decision. */
function Uncertain({ delivery, onDecided }: { delivery: Delivery; onDecided: () => void }) {
  const [decision, setDecision] = useState<Decision>()
  const { id, member, date, reason } = delivery
  const { uncertain } = texts
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
            <Button onClick={() => setDecision('accepted')}>{uncertain.accepted.action}</Button>
            <Button onClick={() => setDecision('deferred')}>{uncertain.deferred.action}</Button>
          </div>
        )}
      </div>
      {decision !== undefined && (
        <Decide
          ids={[id]}
          decision={decision}
          onDecided={onDecided}
          onClose={() => setDecision(undefined)}
        />
      )}
    </Notice>
  )
}

/** Headers and origin of the message. */
function Message({ delivery }: { delivery: Delivery }) {
  const { sender, recipient, messageId, providerId, source, caller } = delivery
  const { mautic, emailId, contactId, broadcastId } = delivery
  const nameOf = useEmailNames([delivery])
  const facts: [string, ComponentChildren][] = [
    [labels.sender, sender],
    [labels.recipient, recipient],
    [labels.messageId, messageId && <CopyText text={messageId} />],
    [labels.providerId, providerId && <CopyText text={providerId} />],
    [labels.source, [words.sources[source], caller].filter(Boolean).join(', ')],
    [labels.mautic, mautic && <MauticName mautic={mautic} />],
    [labels.emailId, emailId && <EmailName row={delivery} name={nameOf(delivery)} />],
    [labels.contactId, contactId && <ContactName mautic={mautic} id={contactId} />],
    [labels.broadcastId, broadcastId && <a href={`/broadcasts/${broadcastId}`}>{broadcastId}</a>],
  ]
  return (
    <section class="card" aria-labelledby="message">
      <h2 id="message">{one.message}</h2>
      <Facts facts={facts.filter(([, value]) => value !== null && value !== '')} />
    </section>
  )
}

/** A contact of Mailyard, or of the Mautic that the message came from. */
function ContactName({ mautic, id }: { mautic: Delivery['mautic']; id: number }) {
  const text = mauticNameWords.contactNumber(id)
  // Ids of a Mautic are not those of Mailyard's contacts.
  if (mautic !== null || !can('contact:view')) return <>{text}</>
  return <a href={`/contacts/${id}`}>{text}</a>
}

/** The route: each candidate, in order, and why it was taken or skipped. */
function Route({ delivery: { trace } }: { delivery: Delivery }) {
  if (trace.length === 0) return null
  return (
    <section class="card" aria-labelledby="route">
      <h2 id="route">{one.route}</h2>
      <RouteSteps steps={trace} />
    </section>
  )
}
