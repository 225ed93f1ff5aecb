import type { ComponentChildren } from 'preact'
import { outcomes } from '../../src/core/delivery/outcomes.ts'
import { CopyText } from '../design/copy-text.tsx'
import { type Fact, Facts } from '../design/facts.tsx'
import { Card } from '../design/page.tsx'
import type { Schema } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { deliveryWords } from '../words/deliveries.ts'
import { formatDuration, formatExactTime } from '../words/format.ts'
import { mauticNameWords } from '../words/mautic-names.ts'
import { MauticName } from './mautics.tsx'
import { EmailName, type EmailOrigin, useEmailNames } from './message-origin.tsx'
import { OutcomeBadge } from './outcome-badge.tsx'
import { TransportLink } from './transports.tsx'
import type { Delivery } from './use-deliveries.ts'

type Message = EmailOrigin &
  Pick<Schema<'Delivery'>, 'recipient' | 'subject' | 'sender' | 'contactId' | 'messageId'>
type Contact = { name: string }

const { labels, one } = deliveryWords

/** What a delivered or queued message is, and where it came from. What is empty is left out. */
export function MessageCard({
  message,
  contact,
  facts,
  tools,
}: {
  message: Message
  /** The contact of Mailyard; null if it was deleted, or is of a Mautic. */
  contact: Contact | null
  /** Further names and values. */
  facts: readonly Fact[]
  tools?: ComponentChildren
}) {
  const { recipient, subject, sender, mautic, emailId, contactId, messageId } = message
  const nameOf = useEmailNames([message])
  const all: Fact[] = [
    [labels.recipient, recipient],
    [labels.contactId, contactId && <ContactName id={contactId} contact={contact} />],
    [labels.subject, subject],
    [labels.sender, sender],
    [labels.mautic, mautic && <MauticName mautic={mautic} />],
    [labels.emailId, emailId && <EmailName row={message} name={nameOf(message)} />],
    ...facts,
    [labels.messageId, messageId && <CopyText text={messageId} />],
  ]
  return (
    <Card title={one.message} tools={tools}>
      <Facts facts={all} isShort />
    </Card>
  )
}

function ContactName({ id, contact }: { id: number; contact: Contact | null }) {
  if (contact === null || !can('contact:view')) return <>{mauticNameWords.contactNumber(id)}</>
  return <a href={`/contacts/${id}`}>{contact.name}</a>
}

/** The attempts to deliver a message to a recipient, the first one first. */
export function Attempts({
  attempts,
  shownId,
}: {
  attempts: readonly Delivery[]
  /** The one whose page it is. */
  shownId?: number
}) {
  return (
    <Card title={deliveryWords.one.attempts}>
      {attempts.length === 0 ? (
        <p class="quiet">{deliveryWords.one.noAttempts}</p>
      ) : (
        <ol class="timeline">
          {attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} isShown={attempt.id === shownId} />
          ))}
        </ol>
      )}
    </Card>
  )
}

function Attempt({ attempt, isShown }: { attempt: Delivery; isShown: boolean }) {
  const { id, date, durationMs, outcome, transportId, transport, member, reply, reason } = attempt
  const time = <time dateTime={date}>{formatExactTime(date)}</time>
  return (
    <li data-tone={outcomes[outcome].tone} aria-current={isShown ? 'true' : undefined}>
      <div class="spread">
        <span class="row">
          {isShown ? time : <a href={`/deliveries/${id}`}>{time}</a>}
          <OutcomeBadge outcome={outcome} />
        </span>
        {durationMs !== null && <span class="quiet small">{formatDuration(durationMs)}</span>}
      </div>
      {transport !== null && (
        <p>
          <TransportLink id={transportId} name={transport} />
          {member !== null && <span class="mono quiet"> {member}</span>}
        </p>
      )}
      {reply !== null && <pre>{reply}</pre>}
      {reply === null && !isShown && <p class="small">{reason}</p>}
    </li>
  )
}
