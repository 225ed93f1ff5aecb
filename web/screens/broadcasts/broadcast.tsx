import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { BrakeNotice } from '../../design/brake-notice.tsx'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { Figures } from '../../design/figures.tsx'
import { Card, Page, RecordLayout, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { useData } from '../../lib/use-data.ts'
import { BouncesLink } from '../../records/bounces-link.tsx'
import { deliveriesHref, ofBrake } from '../../records/delivery-filters.ts'
import { queueHref } from '../../records/queue-filters.ts'
import { broadcastWords as text } from '../../words/broadcasts.ts'
import { words } from '../../words/common.ts'
import { NewBroadcast } from './new-broadcast.tsx'
import {
  type Broadcast,
  BroadcastBar,
  emailNameOf,
  eventFiguresOf,
  figuresOf,
  Skipped,
  StateBadge,
} from './parts.tsx'
import { Recipients } from './recipients.tsx'
import { useBroadcast } from './use-broadcast.ts'

/** One broadcast while it runs and afterwards; or a new one. */
export function BroadcastScreen() {
  const { id } = useRoute().params
  return id === 'new' ? <NewBroadcast /> : <SavedBroadcast key={id} id={Number(id)} />
}

function SavedBroadcast({ id }: { id: number }) {
  const live = useBroadcast(id)
  const actionsOf = (broadcast: Broadcast) =>
    can('email:send') && <Actions broadcast={broadcast} onDone={live.show} />
  return (
    <Page
      title={text.one(id)}
      back={{ href: '/broadcasts', label: text.title }}
      badge={live.data && <StateBadge broadcast={live.data} />}
      actions={live.data?.brake === null && actionsOf(live.data)}
    >
      <Show loaded={live}>
        {(broadcast) => (
          <>
            <Problem broadcast={broadcast} actions={actionsOf(broadcast)} />
            {broadcast.warnings.map((warning) => (
              <Notice key={warning} tone="warn">
                {warning}
              </Notice>
            ))}
            <RecordLayout side={<Details broadcast={broadcast} />}>
              <Card
                title={text.progress}
                tools={
                  live.source && (
                    <Badge>{live.source === 'events' ? text.live : text.polling}</Badge>
                  )
                }
              >
                {!broadcast.isPrepared && <p class="quiet">{text.preparing}</p>}
                <BroadcastBar broadcast={broadcast} />
                <Figures
                  figures={[
                    { label: text.counts.total, count: broadcast.total },
                    ...figuresOf(broadcast),
                    {
                      label:
                        broadcast.state === 'cancelled'
                          ? text.counts.notReached
                          : text.counts.remaining,
                      count: broadcast.remaining,
                    },
                  ]}
                />
              </Card>
              <Afterwards broadcast={broadcast} />
            </RecordLayout>
            {can('contact:view') && <Recipients broadcast={broadcast} />}
          </>
        )}
      </Show>
    </Page>
  )
}

/** What happened after servers accepted its messages. */
function Afterwards({ broadcast }: { broadcast: Broadcast }) {
  const figures = eventFiguresOf(broadcast)
  if (figures.length === 0) return null
  return (
    <Card title={text.afterwards}>
      <Figures figures={figures} />
      <p class="quiet small">{text.ofAccepted}</p>
    </Card>
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
  if (brake === null)
    return (
      <Notice tone="bad">
        <strong>{text.problem}</strong> {problem}
      </Notice>
    )
  const broadcastId = String(id)
  return (
    <BrakeNotice
      title={text.problem}
      links={
        <>
          <a href={deliveriesHref({ broadcastId, ...ofBrake[brake.kind] })}>
            {words.brakeDeliveries[brake.kind]}
          </a>
          <BouncesLink filters={{ broadcastId }} />
        </>
      }
      actions={actions}
    >
      {problem}
    </BrakeNotice>
  )
}

/** What it sends, to whom, how fast, and where more is to be found. */
function Details({ broadcast }: { broadcast: Broadcast }) {
  const { id, email, segment, state, rate, estimatedEnd, nextAttempt, dateFinished } = broadcast
  const broadcastId = String(id)
  const facts: [string, ComponentChildren][] = [
    [
      text.email,
      email.isDeleted ? (
        emailNameOf(broadcast)
      ) : (
        <a key="email" href={`/emails/${email.id}`}>
          {email.name}
        </a>
      ),
    ],
    [text.segment, segment ?? text.chosen],
  ]
  if (state === 'running') facts.push([text.rate, text.perSecond(rate)])
  if (estimatedEnd !== null) facts.push([text.end, <Time key="end" iso={estimatedEnd} />])
  if (nextAttempt !== null) facts.push([text.nextAttempt, <Time key="next" iso={nextAttempt} />])
  facts.push([text.started, <Time key="started" iso={broadcast.dateAdded} />])
  if (dateFinished !== null) facts.push([text.finished, <Time key="end" iso={dateFinished} />])
  facts.push([text.by, broadcast.createdBy])
  if (Object.values(broadcast.skipped).some((count) => count > 0))
    facts.push([text.skipped, <Skipped key="skipped" skipped={broadcast.skipped} />])
  return (
    <Card title={text.details}>
      <Facts facts={facts} />
      <div class="row">
        {broadcast.uncertain > 0 && (
          <a href={deliveriesHref({ broadcastId, outcome: 'uncertain' })}>{text.uncertainLink}</a>
        )}
        {broadcast.queued > 0 && can('queue:view') && (
          <a href={queueHref({ broadcastId })}>{text.queueLink}</a>
        )}
        <a href={deliveriesHref({ broadcastId })}>{text.deliveries}</a>
        <BouncesLink filters={{ broadcastId }} />
      </div>
    </Card>
  )
}

/** Pause, resume and cancel a broadcast; send to refused recipients again. */
function Actions({
  broadcast,
  onDone,
}: {
  broadcast: Broadcast
  /** Shows the broadcast as the action has left it. */
  onDone: (broadcast: Broadcast) => void
}) {
  const { id, state, remaining, brake } = broadcast
  const [asked, setAsked] = useState<'resume' | 'cancel'>()
  const { isBusy, run } = useAction()
  const retryable = useRetryable(broadcast)
  const act = async (action: 'pause' | 'resume' | 'cancel') => {
    const { body } = await ask('POST', `/api/broadcasts/{id}/${action}`, { path: { id } })
    onDone(body.broadcast)
  }
  const retry = async () => {
    const { body } = await ask('POST', '/api/broadcasts/{id}/retry', { path: { id } })
    showToast(text.retried(body.retried, body.skipped))
    onDone(body.broadcast)
  }
  return (
    <>
      {state === 'running' && (
        <Button isBusy={isBusy} onClick={() => void run(() => act('pause'))}>
          {text.pause}
        </Button>
      )}
      {state === 'paused' && (
        <Button
          kind="primary"
          isBusy={isBusy}
          onClick={() => (brake === null ? void run(() => act('resume')) : setAsked('resume'))}
        >
          {brake === null ? text.resume : text.continue}
        </Button>
      )}
      {retryable > 0 && (
        <Button isBusy={isBusy} onClick={() => void run(retry)}>
          {text.retry(retryable)}
        </Button>
      )}
      {(state === 'running' || state === 'paused') && (
        <Button kind="danger" onClick={() => setAsked('cancel')}>
          {text.cancel}
        </Button>
      )}
      {asked !== undefined && (
        <Confirm
          title={text.questions[asked](remaining)}
          text={text.effects[asked]}
          action={asked === 'resume' ? text.continue : text.cancel}
          keep={text.keep[asked]}
          onConfirm={() => act(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

/** How many of the refused recipients can be sent to again: none where their addresses are suppressed now. */
function useRetryable({ id, state, refused }: Broadcast): number {
  const isPossible = refused > 0 && state !== 'cancelled' && state !== 'running'
  const { data = 0 } = useData(
    async (signal) => {
      if (!isPossible) return 0
      const options = { path: { id }, query: { dryRun: '1' }, signal, isRead: true }
      return (await ask('POST', '/api/broadcasts/{id}/retry', options)).body.retried
    },
    [id, isPossible, refused],
  )
  return isPossible ? data : 0
}
