import type { ComponentChildren } from 'preact'
import { deliveryEvents } from '../../../src/core/delivery/events.ts'
import { outcomes } from '../../../src/core/delivery/outcomes.ts'
import { Badge } from '../../design/feedback.tsx'
import { Card, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import type { Tone } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { type EmailNameOf, useEmailNames } from '../../records/message-origin.tsx'
import { DeliveryState } from '../../records/outcome-badge.tsx'
import { QueueStateBadge } from '../../records/queue.tsx'
import { SendAgain } from '../../records/send-again.tsx'
import { suppressionWords } from '../../words/suppressions.ts'
import type { Contact } from './draft.ts'
import type { Suppression } from './suppressed.tsx'

const text = {
  title: 'What happened',
  deliveries: 'All deliveries to this address',
  empty: 'Nothing was sent to this address yet.',
  message: 'A message',
  through: (transport: string) => `through ${transport}`,
  inQueue: (name: string) => `${name}, in the queue`,
  suppression: 'Suppression',
  withheld: 'not sent, because the address was suppressed',
} as const

interface Entry {
  date: string
  tone: Tone
  badge: ComponentChildren
  title: string
  href: string
  note: string | null
  /** The email of Mailyard that can be sent again. */
  emailId?: number | null
}

/** What happened with the address of a contact: deliveries, messages in the queue, suppressions; the newest first. */
export function Timeline({
  contact,
  address,
  suppressions,
}: {
  contact: Contact
  address: string
  suppressions: readonly Suppression[]
}) {
  const loaded = useData(
    async (signal) => {
      const options = { query: { recipient: address, limit: 30 }, signal }
      const [log, queue] = await Promise.all([
        can('email:view') ? ask('GET', '/api/deliveries', options) : undefined,
        can('queue:view') ? ask('GET', '/api/queue/messages', options) : undefined,
      ])
      return { deliveries: log?.body.deliveries ?? [], queued: queue?.body.messages ?? [] }
    },
    [address],
  )
  const { deliveries = [], queued = [] } = loaded.data ?? {}
  const nameOf = useEmailNames([...queued, ...deliveries].filter(({ subject }) => subject === null))
  const entries = [
    ...suppressions.map(ofSuppression),
    ...queued.map((message) => ofQueued(message, nameOf)),
    ...deliveries.map((delivery) => ofDelivery(delivery, { contactId: contact.id, nameOf })),
  ].sort((one, other) => other.date.localeCompare(one.date))
  return (
    <Card
      title={text.title}
      tools={
        can('email:view') && <a href={deliveriesHref({ recipient: address })}>{text.deliveries}</a>
      }
    >
      <Show loaded={loaded}>
        {() =>
          entries.length === 0 ? (
            <p class="quiet">{text.empty}</p>
          ) : (
            <ol class="timeline">
              {entries.map((entry) => (
                <li key={entry.href} data-tone={entry.tone}>
                  <div class="spread">
                    <span class="row">
                      {entry.badge} <a href={entry.href}>{entry.title}</a>
                    </span>
                    <span class="row small quiet">
                      {entry.emailId != null && can('email:send') && (
                        <SendAgain
                          emailId={entry.emailId}
                          contactId={contact.id}
                          recipient={address}
                          kind="plain"
                          onSent={loaded.reload}
                        />
                      )}
                      <Time iso={entry.date} />
                    </span>
                  </div>
                  {entry.note && <span class="quiet small">{entry.note}</span>}
                </li>
              ))}
            </ol>
          )
        }
      </Show>
    </Card>
  )
}

function ofDelivery(
  delivery: Schema<'Delivery'>,
  { contactId, nameOf }: { contactId: number; nameOf: EmailNameOf },
): Entry {
  const { outcome, event, transport } = delivery
  const { tone, isFinal } = outcomes[outcome]
  const isOfContact = delivery.mautic === null && delivery.contactId === contactId
  return {
    date: delivery.date,
    tone: event === null ? tone : deliveryEvents[event].tone,
    badge: <DeliveryState delivery={delivery} />,
    title: delivery.subject ?? nameOf(delivery) ?? text.message,
    href: `/deliveries/${delivery.id}`,
    note: [transport && text.through(transport), problemOf(delivery)].filter(Boolean).join(' · '),
    // What is still on its way, or may have arrived, is not sent twice by mistake.
    emailId: isOfContact && isFinal && outcome !== 'uncertain' ? delivery.emailId : null,
  }
}

/** Why the recipient does not have the message. A suppression is explained on the page of the contact. */
function problemOf({ outcome, reason, reply }: Schema<'Delivery'>): string | null {
  if (outcome === 'accepted') return null
  return outcome === 'suppressed' ? text.withheld : (reason ?? reply)
}

function ofQueued(message: Schema<'QueuedMessage'>, nameOf: EmailNameOf): Entry {
  return {
    date: message.dateAdded,
    tone: 'wait',
    badge: <QueueStateBadge state={message.state} />,
    title: text.inQueue(message.subject ?? nameOf(message) ?? text.message),
    href: `/queue/${message.id}`,
    note: message.problem,
  }
}

function ofSuppression(suppression: Suppression): Entry {
  const { id, address, source, senderDomain } = suppression
  const { tone } = outcomes.suppressed
  return {
    date: suppression.dateAdded,
    tone,
    badge: (
      <Badge tone={tone} icon="suppressed" outcome="suppressed">
        {text.suppression}
      </Badge>
    ),
    title: suppressionWords.reasons[suppression.reason],
    href: `${withQuery('/suppressions', { address })}#${id}`,
    note: [senderDomain ?? suppressionWords.everySender, source].filter(Boolean).join(' · '),
  }
}
