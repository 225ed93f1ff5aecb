import type { ComponentChildren } from 'preact'
import { ConfirmButton } from '../../design/delete-button.tsx'
import { Notice } from '../../design/feedback.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { BouncesLink } from '../../records/bounces-link.tsx'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { words } from '../../words/common.ts'
import { brakeWords as text } from '../../words/queue.ts'

type Brake = Schema<'Brake'>
type Action = keyof typeof text.actions

/** What each kind of brake has counted. */
const counted = {
  refusals: { outcome: 'refused' },
  bounces: { event: 'bounced' },
  complaints: { event: 'complained' },
} as const

/** The groups of bulk messages that their brakes hold, until the user continues or cancels. */
export function Brakes({ brakes, onChanged }: { brakes: readonly Brake[]; onChanged: () => void }) {
  if (brakes.length === 0) return null
  return (
    <section class="stack" aria-label={text.title}>
      {brakes.map((brake) => (
        <Notice key={brake.id} tone="bad">
          <div class="stack">
            <p>
              <strong>
                {text.held(brake.senderDomain, mauticOf(brake))} <TransportName brake={brake} />{' '}
                {text.areHeld}
              </strong>{' '}
              {brake.problem} {text.began} <Time iso={brake.since} />: {text.waiting(brake.held)}{' '}
              {text.advice}
            </p>
            <div class="row">
              {can('queue:edit') && <BrakeActions brake={brake} onChanged={onChanged} />}
              <a href={hrefOf(brake)}>{text.deliveries[brake.kind]}</a>
              <BouncesLink transportId={brake.transportId} />
            </div>
          </div>
        </Notice>
      ))}
    </section>
  )
}

function mauticOf({ mautic }: Brake): string | undefined {
  return mautic === null ? undefined : mautic.name || String(mautic.id)
}

function TransportName({ brake }: { brake: Brake }) {
  const name = nameOf(brake)
  if (brake.transportId === null) return <>{name}</>
  return <a href={`/transports/${brake.transportId}`}>{name}</a>
}

function nameOf({ transportId, transport }: Brake): string {
  if (transportId !== null) return transport ?? text.transportNumber(transportId)
  return transport === null ? text.aTransport : text.default
}

function hrefOf({ kind, senderDomain, transportId }: Brake): string {
  const through = transportId === null ? {} : { transportId: String(transportId) }
  return deliveriesHref({ sender: `*@${senderDomain}`, ...counted[kind], ...through })
}

function BrakeActions({
  brake,
  onChanged,
}: {
  brake: Brake
  onChanged: () => void
}): ComponentChildren {
  const { id, senderDomain, held } = brake
  const change = async (action: Action) => {
    let changed = 0
    for (;;) {
      const { body } = await ask('POST', `/api/queue/brakes/{id}/${action}`, { path: { id } })
      changed += body.changed
      if (!body.isDone && body.changed > 0) continue
      const left = body.isDone ? '' : ` ${text.left(body.left)}`
      showToast(`${text.actions[action].done(changed)}${left}`)
      break
    }
    onChanged()
  }
  return (['continue', 'cancel'] as const).map((action) => (
    <ConfirmButton
      key={action}
      kind={action === 'cancel' ? 'danger' : 'primary'}
      action={text.actions[action].action}
      title={text.actions[action].title(held)}
      text={text.actions[action].effect(senderDomain, nameOf(brake))}
      keep={words.keepThem}
      onConfirm={() => change(action)}
    />
  ))
}
