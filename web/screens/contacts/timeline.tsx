import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { outcomes } from '../../../src/delivery/outcomes.ts'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Badge } from '../../design/feedback.tsx'
import { Card, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast, type Tone } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { QueueStateBadge } from '../../records/queue-state-badge.tsx'
import { type EmailNameOf, useEmailNames } from '../../records/use-email-names.ts'
import { contactWords } from '../../words/contacts.ts'
import { suppressionWords } from '../../words/suppressions.ts'
import { type Contact, labelOf } from './draft.ts'
import type { Suppression } from './suppressed.tsx'

const text = contactWords.timeline
const shownMax = 8

interface Entry {
  key: string
  date: string
  tone: Tone
  badge: ComponentChildren
  title: ComponentChildren
  note?: string | null
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
  const [isWhole, setWhole] = useState(false)
  const [asked, setAsked] = useState<number>()
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
  const nameOf = useEmailNames([...deliveries, ...queued])
  const entries = [
    ...suppressions.map(ofSuppression),
    ...queued.map((message) => ofQueued(message, nameOf)),
    ...deliveries.map((delivery) => ofDelivery(delivery, contact.id, nameOf)),
  ].sort((one, other) => other.date.localeCompare(one.date))
  const shown = isWhole ? entries : entries.slice(0, shownMax)
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
              {shown.map(({ key, tone, date, badge, title, note, emailId }) => (
                <li key={key} data-tone={tone}>
                  <div class="spread">
                    <span class="row">
                      {badge} {title}
                    </span>
                    <span class="small quiet">
                      <Time iso={date} />
                    </span>
                  </div>
                  {note && <span class="quiet small">{note}</span>}
                  {emailId != null && can('email:send') && (
                    <span>
                      <Button kind="plain" onClick={() => setAsked(emailId)}>
                        {text.sendAgain}
                      </Button>
                    </span>
                  )}
                </li>
              ))}
            </ol>
          )
        }
      </Show>
      {shown.length < entries.length && (
        <Button onClick={() => setWhole(true)}>{text.more(entries.length - shown.length)}</Button>
      )}
      {asked !== undefined && (
        <Confirm
          title={text.question(nameOf({ mautic: null, emailId: asked }), labelOf(contact))}
          text={text.effect}
          action={text.sendAgain}
          onConfirm={async () => {
            await sendAgain(asked, contact)
            loaded.reload()
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Card>
  )
}

/** Sends an email to a contact. Throws why the server did not take it. */
async function sendAgain(id: number, contact: Contact): Promise<void> {
  const options = { path: { id, contactId: contact.id }, body: {} }
  const { body } = await ask('POST', '/api/emails/{id}/contact/{contactId}/send', options)
  if (!body.success) throw new Error(body.failed ?? text.notSent)
  if (body.queued !== undefined) showToast(text.queued(body.queued.reason), 'warn')
  else showToast(text.sent(labelOf(contact)))
}

function ofDelivery(
  { id, date, outcome, mautic, emailId, contactId, transport, reason, reply }: Schema<'Delivery'>,
  ownId: number,
  nameOf: EmailNameOf,
): Entry {
  const isOwn = mautic === null && contactId === ownId
  return {
    key: `delivery ${id}`,
    date,
    tone: outcomes[outcome].tone,
    badge: <OutcomeBadge outcome={outcome} />,
    title: <a href={`/deliveries/${id}`}>{nameOf({ mautic, emailId }) ?? text.message}</a>,
    note: [transport && text.through(transport), outcome !== 'accepted' && (reason ?? reply)]
      .filter(Boolean)
      .join(' · '),
    // What is still on its way, or may have arrived, is not sent twice by mistake.
    emailId: isOwn && outcomes[outcome].isFinal && outcome !== 'uncertain' ? emailId : null,
  }
}

function ofQueued(
  { id, dateAdded, state, mautic, emailId, problem, recipient }: Schema<'QueuedMessage'>,
  nameOf: EmailNameOf,
): Entry {
  return {
    key: `queue ${id}`,
    date: dateAdded,
    tone: 'accent',
    badge: <QueueStateBadge state={state} />,
    title: (
      <a href={withQuery('/queue', { recipient })}>
        {text.inQueue(nameOf({ mautic, emailId }) ?? text.message)}
      </a>
    ),
    note: problem,
  }
}

function ofSuppression(suppression: Suppression): Entry {
  const { id, dateAdded, address, source, reason, senderDomain } = suppression
  return {
    key: `suppression ${id}`,
    date: dateAdded,
    tone: 'warn',
    badge: <Badge tone="warn">{text.suppressed}</Badge>,
    title: <a href={withQuery('/suppressions', { address })}>{suppressionWords.reasons[reason]}</a>,
    note: [senderDomain ?? suppressionWords.everySender, source].filter(Boolean).join(' · '),
  }
}
