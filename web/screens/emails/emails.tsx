import type { ComponentChildren } from 'preact'
import { ButtonLink } from '../../design/button.tsx'
import { Empty } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { ListViews } from '../../design/list-views.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { inOrder } from '../../lib/in-order.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { DeletedList } from '../../records/deleted-list.tsx'
import { PublishedBadge } from '../../records/published-badge.tsx'
import { words } from '../../words/common.ts'
import { emailWords } from '../../words/emails.ts'

type Email = Schema<'Email'>

const text = emailWords

const columns: readonly Column<Email>[] = [
  {
    label: text.fields.name,
    field: 'name',
    show: ({ id, name }) => <a href={`/emails/${id}`}>{name}</a>,
  },
  { label: text.fields.subject, field: 'subject', show: ({ subject }) => subject },
  {
    label: text.from,
    field: 'fromAddress',
    show: ({ fromAddress, fromName }) =>
      [fromName, fromAddress].filter(Boolean).join(' · ') || (
        <span class="quiet">{text.defaultSender}</span>
      ),
  },
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

/** All emails, and the deleted ones. */
export function EmailsScreen() {
  const view = useAddress().query['view']
  const add = can('email:create') && (
    <ButtonLink href="/emails/new" kind="primary">
      {text.add}
    </ButtonLink>
  )
  return (
    <Page title={text.title} actions={add}>
      <ListViews
        label={text.title}
        path="/emails"
        shown={view}
        views={{ '': text.title, deleted: words.deleted }}
      />
      {view === 'deleted' ? <DeletedList kind="emails" /> : <EmailList add={add} />}
    </Page>
  )
}

/** All emails: search, order, and those of one state. */
function EmailList({ add }: { add: ComponentChildren }) {
  const list = useList({ field: 'name', isDescending: false })
  const published = list.query['published'] ?? ''
  const loaded = useData(
    async (signal) => {
      const query = { ...list.asked, published }
      const { body } = await ask('GET', '/api/emails', { query, signal })
      return { emails: inOrder(body.emails, list.ordering.order), total: body.total }
    },
    [list.key],
  )
  const isFiltered = list.asked.search !== '' || published !== ''
  return (
    <Show loaded={loaded}>
      {({ emails, total }) =>
        total === 0 && !isFiltered ? (
          <Empty>
            <p>{text.empty}</p>
            {add}
          </Empty>
        ) : (
          <>
            <div class="toolbar">
              <SearchForm {...list.searching} label={text.search} />
              <SelectField
                label={text.state}
                value={published}
                onValue={(value) => list.go({ published: value })}
                options={stateOptions}
              />
            </div>
            {total === 0 ? (
              <Empty>{text.noMatch}</Empty>
            ) : (
              <>
                <Table
                  caption={text.title}
                  rows={emails}
                  columns={columns}
                  keyOf={({ id }) => id}
                  {...list.ordering}
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

const stateOptions = [
  { value: '', label: words.all },
  { value: '1', label: words.published },
  { value: '0', label: words.unpublished },
]
