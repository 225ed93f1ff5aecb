import { Badge } from '../../design/feedback.tsx'
import type { Column } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { inOrder } from '../../lib/in-order.ts'
import { can } from '../../lib/session.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import { findSegments } from '../../records/find.ts'
import { PublishedBadge } from '../../records/published-badge.tsx'
import {
  type ListFilter,
  NameCell,
  ResourceList,
  ResourceListScreen,
} from '../../records/resource-list.tsx'
import { words } from '../../words/common.ts'
import { contactWords as text } from '../../words/contacts.ts'
import { formatNumber } from '../../words/format.ts'
import { type Contact, labelOf, nameOf, textOf } from './draft.ts'

const columns: readonly Column<Contact>[] = [
  {
    label: text.labels.email,
    field: 'email',
    isName: true,
    show: (contact) => (
      <NameCell
        href={`/contacts/${contact.id}`}
        name={labelOf(contact)}
        note={[nameOf(contact), textOf(contact, 'company')].filter(Boolean).join(' · ')}
      />
    ),
  },
  {
    label: text.labels.segments,
    priority: 2,
    show: ({ segments }) => <Names values={segments} parameter="segment" />,
  },
  {
    label: text.labels.tags,
    priority: 4,
    show: ({ tags }) => <Names values={tags.map(({ tag }) => tag)} parameter="tag" />,
  },
  { label: text.labels.owner, priority: 4, show: ({ owner }) => owner?.username },
  {
    label: words.state,
    field: 'isPublished',
    show: ({ isPublished }) => <PublishedBadge isPublished={isPublished} />,
  },
  {
    label: words.changed,
    field: 'dateModified',
    priority: 3,
    show: ({ dateModified, dateAdded }) => <Time iso={dateModified ?? dateAdded} />,
  },
]

/** Segments or tags, each with a link to the contacts that have it. */
export function Names({
  values,
  parameter,
}: {
  values: readonly string[]
  parameter: 'segment' | 'tag'
}) {
  return (
    <span class="row">
      {values.map((value) => (
        <a key={value} href={withQuery('/contacts', { [parameter]: value })}>
          <Badge>{value}</Badge>
        </a>
      ))}
    </span>
  )
}

const filters: readonly ListFilter[] = [
  { name: 'segment', label: text.segment, find: findSegments, nameOf: (value) => value },
  { name: 'tag', label: text.tag },
]

/** Contacts, the segments that they are in, and the deleted contacts. */
export function ContactsScreen() {
  return (
    <ResourceListScreen
      path="/contacts"
      kind="contacts"
      add={{ label: text.add, needs: 'contact:create' }}
      views={{ segments: { title: text.segments.title, content: <Segments /> } }}
      list={{
        texts: text,
        columns,
        filters,
        order: { field: 'email', isDescending: false },
        async load(query, signal) {
          const { body } = await ask('GET', '/api/contacts', { query, signal })
          const order = { field: query.orderBy, isDescending: query.orderByDir === 'desc' }
          const orderedBy = (contact: Contact) =>
            order.field === 'email'
              ? textOf(contact, 'email')
              : contact[order.field as keyof Contact]
          return { rows: inOrder(body.contacts, order, orderedBy), total: body.total }
        },
        actions: can('contact:delete')
          ? ({ ids, onDone, reload }) => (
              <DeleteRecords
                kind="contacts"
                ids={ids}
                titleOf={text.deleteSeveral}
                text={text.deleteText}
                onDeleted={onDone}
                onRestored={reload}
              />
            )
          : undefined,
      }}
    />
  )
}

type Segment = Schema<'Segment'> & { id: number }

const segmentColumns: readonly Column<Segment>[] = [
  {
    label: text.segment,
    field: 'name',
    isName: true,
    show: ({ name }) => <NameCell href={withQuery('/contacts', { segment: name })} name={name} />,
  },
  {
    label: text.title,
    isNumber: true,
    show: ({ contactCount }) => formatNumber(contactCount),
  },
  {
    label: text.broadcast,
    priority: 2,
    show: ({ name }) =>
      can('email:send') && (
        <a href={withQuery('/broadcasts/new', { segment: name })}>{text.send}</a>
      ),
  },
]

/** The segments that contacts are in, with their counts. */
function Segments() {
  return (
    <ResourceList
      texts={text.segments}
      columns={segmentColumns}
      order={{ field: 'name', isDescending: false }}
      load={async (query, signal) => {
        const { lists, total } = (await ask('GET', '/api/segments', { query, signal })).body
        return { rows: lists.map((segment, id) => ({ ...segment, id })), total }
      }}
    />
  )
}
