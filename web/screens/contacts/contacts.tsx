import { Badge } from '../../design/feedback.tsx'
import type { Column } from '../../design/table.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { inOrder } from '../../lib/in-order.ts'
import { changedColumn, NameCell, publishedColumn } from '../../records/columns.tsx'
import { changeRecords } from '../../records/delete-records.tsx'
import { ResourceListScreen } from '../../records/resource-list.tsx'
import { contactWords as text } from '../../words/contacts.ts'
import { type Contact, labelOf, nameOf, textOf } from './draft.ts'

const columns: readonly Column<Contact>[] = [
  {
    label: text.labels.email,
    field: 'email',
    kind: 'name',
    show: (contact) => (
      <NameCell
        href={`/contacts/${contact.id}`}
        name={labelOf(contact)}
        brand={contact.brand}
        note={[nameOf(contact), textOf(contact, 'company')].filter(Boolean).join(' · ')}
      />
    ),
  },
  {
    label: text.labels.tags,
    priority: 2,
    show: ({ tags }) => (
      <span class="row">
        {tags.map(({ tag }) => (
          <a key={tag} href={withQuery('/contacts', { tag })}>
            <Badge>{tag}</Badge>
          </a>
        ))}
      </span>
    ),
  },
  { label: text.labels.owner, priority: 4, show: ({ owner }) => owner?.username },
  publishedColumn,
  { ...changedColumn, priority: 3 },
]

export default function ContactsScreen() {
  return (
    <ResourceListScreen
      path="/contacts"
      kind="contacts"
      add={{ label: text.add, needs: 'contact:create' }}
      list={{
        texts: text,
        columns,
        filters: [{ name: 'tag', label: text.tag }],
        order: { field: 'email', isDescending: false },
        async load(query, signal) {
          const { body } = await ask('GET', '/api/contacts', { query, signal })
          const orderedBy = (contact: Contact) =>
            query.orderBy === 'email'
              ? textOf(contact, 'email')
              : contact[query.orderBy as keyof Contact]
          return { rows: inOrder(body.contacts, query, orderedBy), total: body.total }
        },
        actions: changeRecords('contacts', { texts: text, text: text.deleteText }),
      }}
    />
  )
}
