import type { ComponentChildren } from 'preact'
import { useRoute } from 'preact-iso/router'
import { broadcastCounters, outcomes } from '../../../src/delivery/outcomes.ts'
import { BrakeNotice } from '../../design/brake-notice.tsx'
import { Facts } from '../../design/facts.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { can } from '../../lib/session.ts'
import { BouncesLink } from '../../records/bounces-link.tsx'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { queueHref } from '../../records/queue-filters.ts'
import { broadcastWords } from '../../words/broadcasts.ts'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { BroadcastActions } from './broadcast-actions.tsx'
import { BroadcastBar } from './broadcast-bar.tsx'
import { type Broadcast, StateBadge } from './broadcasts.tsx'
import { NewBroadcast } from './new-broadcast.tsx'
import { Recipients } from './recipients.tsx'
import { useBroadcast } from './use-broadcast.ts'

const text = broadcastWords

/** One broadcast while it runs and afterwards; or a new one. */
export function BroadcastScreen() {
  const { id } = useRoute().params
  return id === 'new' ? <NewBroadcast /> : <SavedBroadcast key={id} id={Number(id)} />
}

function SavedBroadcast({ id }: { id: number }) {
  const live = useBroadcast(id)
  const actionsOf = (broadcast: Broadcast) =>
    can('email:send') && <BroadcastActions broadcast={broadcast} onDone={live.show} />
  return (
    <Page title={text.one(id)} actions={<a href="/broadcasts">{text.all}</a>}>
      <Show loaded={live}>
        {(broadcast) => (
          <>
            <Problem broadcast={broadcast} actions={actionsOf(broadcast)} />
            <section class="card" aria-label={text.progress}>
              <div class="spread">
                <div class="row">
                  <StateBadge broadcast={broadcast} />
                  {live.source !== undefined && (
                    <Badge>{live.source === 'events' ? text.live : text.polling}</Badge>
                  )}
                  {!broadcast.isPrepared && <span class="quiet">{text.preparing}</span>}
                </div>
                {broadcast.brake === null && actionsOf(broadcast)}
              </div>
              <BroadcastBar broadcast={broadcast} />
              <Figures broadcast={broadcast} />
              {broadcast.warnings.map((warning) => (
                <Notice key={warning} tone="warn">
                  {warning}
                </Notice>
              ))}
            </section>
            <section class="card" aria-label={text.one(id)}>
              <Facts facts={factsOf(broadcast)} />
              <div class="row">
                {broadcast.uncertain > 0 && (
                  <a href={`/deliveries?broadcastId=${id}&outcome=uncertain`}>
                    {text.uncertainLink}
                  </a>
                )}
                {broadcast.queued > 0 && can('queue:view') && (
                  <a href={queueHref({ broadcastId: String(id) })}>{text.queueLink}</a>
                )}
                <a href={`/deliveries?broadcastId=${id}`}>{text.deliveries}</a>
                <BouncesLink filters={{ broadcastId: String(id) }} />
              </div>
            </section>
            {can('contact:view') && <Recipients broadcast={broadcast} />}
          </>
        )}
      </Show>
    </Page>
  )
}

/** Why nothing is being sent. The actions are beside the reason where a brake has paused it. */
function Problem({
  broadcast: { id, brake, problem },
  actions,
}: {
  broadcast: Broadcast
  actions: ComponentChildren
}) {
  if (problem === null) return null
  if (brake !== null)
    return (
      <BrakeNotice
        title={text.problem}
        links={
          <>
            <a href={deliveriesHref({ broadcastId: String(id), outcome: 'refused' })}>
              {words.refusedDeliveries}
            </a>
            <BouncesLink filters={{ broadcastId: String(id) }} />
          </>
        }
        actions={actions}
      >
        {problem}
      </BrakeNotice>
    )
  return (
    <Notice tone="bad">
      <strong>{text.problem}</strong> {problem}
    </Notice>
  )
}

function Figures({ broadcast }: { broadcast: Broadcast }) {
  const { state, total, remaining } = broadcast
  const left = state === 'cancelled' ? text.counts.notReached : text.counts.remaining
  const figures = [
    { label: text.counts.total, count: total, tone: undefined },
    ...broadcastCounters.map((each) => ({
      label: words.outcomes[each],
      count: broadcast[each],
      tone: outcomes[each].tone,
    })),
    { label: left, count: remaining, tone: undefined },
  ]
  return (
    <dl class="figures">
      {figures.map(({ label, count, tone }) => (
        <div key={label} class="figure" data-tone={count === 0 ? undefined : tone}>
          <dt>{label}</dt>
          <dd>{formatNumber(count)}</dd>
        </div>
      ))}
    </dl>
  )
}

function factsOf(broadcast: Broadcast): [string, ComponentChildren][] {
  const { email, segment, state, rate, estimatedEnd, nextAttempt, dateAdded } = broadcast
  const facts: [string, ComponentChildren][] = [
    [
      text.email,
      <a key="email" href={`/emails/${email.id}`}>
        {email.name}
      </a>,
    ],
    [text.segment, segment ?? text.chosen],
  ]
  if (state === 'running') {
    facts.push([text.rate, text.perSecond(rate)])
    if (estimatedEnd !== null) facts.push([text.end, <Time key="end" iso={estimatedEnd} />])
    if (nextAttempt !== null) facts.push([text.nextAttempt, <Time key="next" iso={nextAttempt} />])
  }
  facts.push([text.started, <Time key="started" iso={dateAdded} />], [text.by, broadcast.createdBy])
  if (broadcast.dateFinished !== null)
    facts.push([text.finished, <Time key="finished" iso={broadcast.dateFinished} />])
  const skipped = skippedOf(broadcast.skipped)
  if (skipped.length > 0) facts.push([text.skipped, <Skipped key="skipped" sentences={skipped} />])
  return facts
}

/** Sentences on the contacts that are left out. */
export function skippedOf(skipped: Broadcast['skipped']): string[] {
  const reasons = Object.entries(text.skippedReasons) as [keyof typeof skipped, string][]
  return reasons.flatMap(([name, reason]) =>
    skipped[name] === 0 ? [] : [text.create.leftOut(skipped[name], reason)],
  )
}

export function Skipped({ sentences }: { sentences: readonly string[] }) {
  return (
    <ul>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
