import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Badge, Empty } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { Selection } from '../../design/selection.tsx'
import { showBatch } from '../../design/show-batch.ts'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { inOrder } from '../../lib/in-order.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { type List, useList } from '../../lib/use-list.ts'
import { words } from '../../words.ts'
import { PublishedBadge } from '../emails/emails.tsx'
import { nameOf, textOf } from './draft.ts'
import { Segments } from './segments.tsx'

type Contact = Schema<'Contact'>

const text = words.contacts

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

/** Contacts, and the segments that they are in. */
export function ContactsScreen() {
  const { query } = useAddress()
  const areSegments = query['view'] === 'segments'
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
      <nav class="tabs" aria-label={text.title}>
        <a class="tab" href="/contacts" aria-current={areSegments ? undefined : 'page'}>
          {text.title}
        </a>
        <a
          class="tab"
          href="/contacts?view=segments"
          aria-current={areSegments ? 'page' : undefined}
        >
          {text.segments}
        </a>
      </nav>
      {areSegments ? <Segments /> : <ContactList />}
    </Page>
  )
}

function ContactList() {
  const list = useList({ field: 'email', isDescending: false })
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
            {can('contact:delete') && <DeleteMany {...list.selecting} onDone={loaded.reload} />}
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

function DeleteMany({ selected, onSelect, onDone }: List['selecting'] & { onDone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const remove = async () => {
    const summary = await inBatches([...selected], async (part) => {
      const query = { ids: part.join(','), fields: 'id' }
      return (await ask('DELETE', '/api/contacts/batch/delete', { query })).body
    })
    showBatch(words.deleted, summary)
    onSelect(new Set())
    onDone()
  }
  return (
    <Selection selected={selected} onSelect={onSelect}>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      {isAsking && (
        <Confirm
          title={text.remove.several(selected.size)}
          text={text.remove.text}
          action={words.delete}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </Selection>
  )
}
