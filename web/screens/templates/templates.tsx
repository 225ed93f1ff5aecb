import type { ComponentChildren } from 'preact'
import { ButtonLink } from '../../design/button.tsx'
import { Badge, Empty } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { ListViews } from '../../design/list-views.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { DeletedList } from '../../records/deleted-list.tsx'
import { words } from '../../words/common.ts'
import { templateWords } from '../../words/templates.ts'
import { TemplateActions } from './template-actions.tsx'

type Template = Schema<'TwigTemplate'>

const text = templateWords
/** The code of a template may be long, and the list does not show it. */
const fields = 'id,name,description,isPublished,dateAdded,dateModified,createdBy,modifiedBy'

const columns: readonly Column<Template>[] = [
  { label: text.name, field: 'name', show: (row) => <Name row={row} /> },
  {
    label: text.state,
    field: 'isPublished',
    show: ({ isPublished }) => (
      <Badge tone={isPublished ? 'good' : 'neutral'}>
        {isPublished ? words.published : words.unpublished}
      </Badge>
    ),
  },
  {
    label: text.changed,
    field: 'dateModified',
    show: ({ dateModified, dateAdded }) => <Time iso={dateModified ?? dateAdded} />,
  },
  { label: text.by, show: ({ modifiedBy, createdBy }) => modifiedBy ?? createdBy ?? words.none },
]

/** All Twig templates, and the deleted ones. */
export function TemplatesScreen() {
  const view = useAddress().query['view']
  const add = can('twigtemplates:create') && (
    <ButtonLink href="/templates/new" kind="primary">
      {text.add}
    </ButtonLink>
  )
  return (
    <Page title={text.title} actions={add}>
      <ListViews
        label={text.title}
        path="/templates"
        shown={view}
        views={{ '': text.title, deleted: words.deleted }}
      />
      {view === 'deleted' ? <DeletedList kind="templates" /> : <TemplateList add={add} />}
    </Page>
  )
}

/** All Twig templates: search, order, publish, unpublish and delete many at once. */
function TemplateList({ add }: { add: ComponentChildren }) {
  const list = useList({ field: 'name', isDescending: false })
  const state = list.query['state'] ?? ''
  const loaded = useData(
    async (signal) => {
      const search = [list.asked.search, state && `is:${state}`].filter(Boolean).join(' ')
      const query = { ...list.asked, search, fields }
      const { body } = await ask('GET', '/api/twigTemplates', { query, signal })
      return { templates: body.twigTemplates, total: body.total }
    },
    [list.key],
  )
  const isFiltered = list.asked.search !== '' || state !== ''
  const canChange = can('twigtemplates:publish') || can('twigtemplates:delete')
  return (
    <Show loaded={loaded}>
      {({ templates, total }) =>
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
                value={state}
                onValue={(value) => list.go({ state: value })}
                options={stateOptions}
              />
            </div>
            <TemplateActions {...list.selecting} onDone={loaded.reload} />
            {total === 0 ? (
              <Empty>{text.noMatch}</Empty>
            ) : (
              <>
                <Table
                  caption={text.title}
                  rows={templates}
                  columns={columns}
                  keyOf={({ id }) => id}
                  {...list.ordering}
                  {...(canChange ? list.selecting : {})}
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
  { value: 'published', label: words.published },
  { value: 'unpublished', label: words.unpublished },
]

function Name({ row: { id, name, description } }: { row: Template }) {
  return (
    <>
      <a href={`/templates/${id}`}>{name}</a>
      {description !== null && description !== '' && <p class="quiet small">{description}</p>}
    </>
  )
}
