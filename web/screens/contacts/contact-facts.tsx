import type { ComponentChildren } from 'preact'
import { Facts } from '../../design/facts.tsx'
import { PublishedBadge } from '../../records/published-badge.tsx'
import { contactWords } from '../../words/contacts.ts'
import { type Contact, textFields, textOf } from './draft.ts'

const text = contactWords

/** A contact for readers who may not change it: the values that it has. */
export function ContactFacts({ contact }: { contact: Contact }) {
  const { owner, tags, segments, points, isPublished } = contact
  const facts: [string, ComponentChildren][] = [
    [text.state, <PublishedBadge key="state" isPublished={isPublished} />],
    ...textFields.map((name): [string, string] => [text.fields[name], textOf(contact, name)]),
    [text.fields.points, points],
    [text.fields.owner, owner?.username],
    [text.fields.tags, tags.map(({ tag }) => tag).join(', ')],
    [text.fields.segments, segments.join(', ')],
  ]
  return (
    <section class="card" aria-label={text.personal}>
      <Facts facts={facts.filter(([, value]) => value !== '')} />
    </section>
  )
}
