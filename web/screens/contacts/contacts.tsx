import { ButtonLink } from '../../design/button.tsx'
import { Badge, Empty } from '../../design/feedback.tsx'
import { ListViews } from '../../design/list-views.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { Selection } from '../../design/selection.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { inOrder } from '../../lib/in-order.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import { DeletedList } from '../../records/deleted-list.tsx'
import { PublishedBadge } from '../../records/published-badge.tsx'
import { words } from '../../words/common.ts'
import { contactWords } from '../../words/contacts.ts'
import { nameOf, textOf } from './draft.ts'
import { Segments } from './segments.tsx'

type Contact = Schema<'Contact'>

const text = contactWords

const columns: readonly Column<Contact>[] = [
  {
    label: text.fields.email,
    field: 'email',
    show: (contact) => (
      <a href={`/contacts/${contact.id}`}>{textOf(contact, 'email') || text.one(contact.id)}</a>
    ),
  },
  { label: text.name, show: (contact) => nameOf(contact) },
  { label: text.fields.company, show: (contact) => textOf(contact, 'company') },
  { label: text.fields.segments, show: ({ segments }) => <Badges values={segments} /> },
  { label: text.fields.tags, show: ({ tags }) => <Badges values={tags.map(({ tag }) => tag)} /> },
  { label: text.fields.owner, show: ({ owner }) => owner?.username },
  {
    label: text.state,
    field: 'isPublished',
    show: ({ isPublished }) => <PublishedBadge isPublished={isPublished} />,
  },
  {
    label: text.changed,
    field: 'dateModified',
    show: ({ dateModified, dateAdded }) => <Time iso={dateModified ?? dateAdded} />,
  },
]

function Badges({ values }: { values: readonly string[] }) {
  return (
    <span class="row">
      {values.map((value) => (
        <Badge key={value}>{value}</Badge>
      ))}
    </span>
  )
}

/** Contacts, the segments that they are in, and the deleted contacts. */
export function ContactsScreen() {
  const { query } = useAddress()
  const view = query['view']
  const actions = can('contact:create') && (
    <>
      <ButtonLink href="/contacts/import">{text.import}</ButtonLink>
      <ButtonLink href="/contacts/new" kind="primary">
        {text.add}
      </ButtonLink>
    </>
  )
  return (
    <Page title={text.title} actions={actions}>
      <ListViews
        label={text.title}
        path="/contacts"
        shown={view}
        views={{ '': text.title, segments: text.segments, deleted: words.deleted }}
      />
      {view === undefined && <ContactList />}
      {view === 'segments' && <Segments />}
      {view === 'deleted' && <DeletedList kind="contacts" />}
    </Page>
  )
}

function ContactList() {
  const list = useList({ field: 'email', isDescending: false })
  const { selected, onSelect } = list.selecting
  const loaded = useData(
    async (signal) => {
      const { body } = await ask('GET', '/api/contacts', { query: list.asked, signal })
      const { order } = list.ordering
      const orderedBy = (contact: Contact) =>
        order.field === 'email' ? textOf(contact, 'email') : contact[order.field as keyof Contact]
      return { contacts: inOrder(body.contacts, order, orderedBy), total: body.total }
    },
    [list.key],
  )
  return (
    <Show loaded={loaded}>
      {({ contacts, total }) =>
        total === 0 && list.asked.search === '' ? (
          <Empty>
            <p>{text.empty}</p>
          </Empty>
        ) : (
          <>
            <SearchForm {...list.searching} label={text.search} />
            <Selection {...list.selecting}>
              <DeleteRecords
                kind="contacts"
                ids={[...selected]}
                title={text.remove.several(selected.size)}
                text={text.remove.text}
                onDeleted={() => {
                  onSelect(new Set())
                  loaded.reload()
                }}
                onRestored={loaded.reload}
              />
            </Selection>
            {total === 0 ? (
              <Empty>{text.noMatch}</Empty>
            ) : (
              <>
                <Table
                  caption={text.title}
                  rows={contacts}
                  columns={columns}
                  keyOf={({ id }) => id}
                  {...list.ordering}
                  {...(can('contact:delete') ? list.selecting : {})}
                />
                <Pager {...list.paging} total={total} />
              </>
            )}
          </>
        )
      }
    </Show>
  )
}
