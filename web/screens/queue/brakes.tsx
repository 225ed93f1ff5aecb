import type { ComponentChildren } from 'preact'
import { ButtonLink } from '../../design/button.tsx'
import { ConfirmButton } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { Period } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { deliveriesHref, type Filters } from '../../records/delivery-filters.ts'
import { BouncesLink, TransportLink } from '../../records/transports.tsx'
import { words } from '../../words/common.ts'
import { counted } from '../../words/format.ts'

const text = {
  title: 'Brakes',
  held: ({ senderDomain, mautic }: Brake) =>
    mautic === null
      ? `Bulk messages from ${senderDomain} through`
      : `Bulk messages of the Mautic ${mautic.name || mautic.id} from ${senderDomain} through`,
  areHeld: 'are held',
  aTransport: 'a transport',
  transportNumber: (id: number) => `transport ${id}`,
  waiting: (count: number) =>
    `${counted(count, 'message')} ${count === 1 ? 'waits' : 'wait'}, and what is added later waits too.`,
  why: 'See why',
  changeTransport: 'Change the transport',
  left: (count: number) =>
    `Left: ${counted(count, 'message')} being sent, or without a transport yet. The brake holds on; cancel again.`,
  actions: {
    try: {
      action: 'Try with ten',
      title: () => 'Send ten of them, to try?',
      effect: (domain: string, transport: string) =>
        `The ten oldest are sent from ${domain} through ${transport}. The others stay held. One that is deferred is held again.`,
      done: (count: number) =>
        `Tried: ${counted(count, 'message')}. Their deliveries say what came of it.`,
    },
    continue: {
      action: 'Continue',
      title: (count: number) => `Continue, and send ${counted(count, 'message')}?`,
      effect: (domain: string, transport: string) =>
        `They are sent from ${domain} through ${transport}. The brake counts from here. It holds them again if too many attempts are refused for good, bounce or are complained about.`,
      done: (count: number) => `Released: ${counted(count, 'message')}.`,
    },
    cancel: {
      action: 'Cancel the messages',
      title: (count: number) => `Cancel ${counted(count, 'message')}?`,
      effect: (domain: string, transport: string) =>
        `Bulk messages from ${domain} through ${transport} that are in the queue are deleted and never sent, also those that a person holds. Their senders are not notified. Messages that are added later are sent again.`,
      done: (count: number) => `Cancelled: ${counted(count, 'message')}.`,
    },
  },
} as const

type Brake = Schema<'Brake'>
type Action = keyof typeof text.actions

const causes = {
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
                {text.held(brake)} <TransportLink id={brake.transportId} name={nameOf(brake)} />{' '}
                {text.areHeld} <Period since={brake.since} />.
              </strong>{' '}
              {brake.problem} {text.waiting(brake.held)}
            </p>
            <div class="row">
              {can('email:view') && (
                <ButtonLink kind="primary" href={deliveriesHref(filtersOf(brake))}>
                  {text.why}
                </ButtonLink>
              )}
              {brake.transportId !== null && can('multipleTransports:edit') && (
                <ButtonLink
                  href={withQuery('/assignments', { of: 'emails', transport: brake.transportId })}
                >
                  {text.changeTransport}
                </ButtonLink>
              )}
              {can('queue:edit') && <BrakeActions brake={brake} onChanged={onChanged} />}
              <BouncesLink transportId={brake.transportId} />
            </div>
          </div>
        </Notice>
      ))}
    </section>
  )
}

function nameOf({ transportId, transport }: Brake): string {
  if (transportId !== null) return transport ?? text.transportNumber(transportId)
  return transport === null ? text.aTransport : words.theDefaultTransport
}

function filtersOf({ kind, senderDomain, transportId }: Brake): Filters {
  const through = transportId === null ? {} : { transportId: String(transportId) }
  return { sender: `*@${senderDomain}`, ...causes[kind], ...through }
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
  return (['try', 'continue', 'cancel'] as const).map((action) => (
    <ConfirmButton
      key={action}
      kind={action === 'cancel' ? 'danger' : undefined}
      action={text.actions[action].action}
      title={text.actions[action].title(held)}
      text={text.actions[action].effect(senderDomain, nameOf(brake))}
      keep={words.keepThem}
      onConfirm={() => change(action)}
    />
  ))
}
