import type { ComponentChildren } from 'preact'
import { CopyText } from '../design/copy-text.tsx'
import { type Fact, Facts } from '../design/facts.tsx'
import { Card } from '../design/page.tsx'
import type { Schema } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { deliveryWords } from '../words/deliveries.ts'
import { mauticNameWords } from '../words/mautic-names.ts'
import { MauticName } from './mautics.tsx'
import { EmailName } from './origin-columns.tsx'
import { type EmailOrigin, useEmailNames } from './use-email-names.ts'

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
