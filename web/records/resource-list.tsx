import type { ComponentChildren } from 'preact'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/feedback.tsx'
import { SelectField } from '../design/field.tsx'
import { ListViews } from '../design/list-views.tsx'
import { Page, Show } from '../design/page.tsx'
import { SearchForm } from '../design/search-form.tsx'
import { Selection } from '../design/selection.tsx'
import { type Column, Pager, Table } from '../design/table.tsx'
import { can } from '../lib/session.ts'
import { useAction } from '../lib/use-action.ts'
import { useAddress } from '../lib/use-address.ts'
import { useData } from '../lib/use-data.ts'
import { type List, type Order, useList } from '../lib/use-list.ts'
import { useRepeat } from '../lib/use-repeat.ts'
import { words } from '../words/common.ts'
import type { Kind } from './deletable.ts'
import { DeletedList } from './deleted-list.tsx'

/** A choice above a list, with the parameter of the address and of the request that it sets. */
export interface ListFilter {
  name: string
  label: string
  /** Value and label of each choice; the first is that of no filter. */
  options: readonly { value: string; label: string }[]
}

/** What the API is asked for: a page, its order, and the filters. */
export type ListQuery = List['asked'] & Readonly<Record<string, string | number>>

interface ListTexts {
  title: string
  /** The label of the search box. */
  search: string
  /** What this kind of records is for, where there is none. */
  empty: ComponentChildren
  noMatch: string
}

interface SelectionActions {
  ids: readonly number[]
  /** Clears the selection and loads the list again. */
  onDone: () => void
  /** Loads the list again, such as after Undo. */
  reload: () => void
}

interface ResourceListProps<Row extends { id: number }> {
  texts: ListTexts
  columns: readonly Column<Row>[] | ((rows: readonly Row[]) => readonly Column<Row>[])
  order: Order
  load: (query: ListQuery, signal: AbortSignal) => Promise<{ rows: readonly Row[]; total: number }>
  filters?: readonly ListFilter[]
  /** Further controls beside the filters. */
  tools?: (list: List) => ComponentChildren
  /** What can be done with the selected rows; without it, none can be selected. */
  actions?: ((selection: SelectionActions) => ComponentChildren) | undefined
  /** The buttons of an empty list, such as the one that adds a record. */
  add?: ComponentChildren
  /** How often the list is read again; not at all by default. */
  refreshMs?: number
}

/** One kind of records: search, filters, order, pages, selection, and what an empty list is for. All of it is in the address. */
export function ResourceList<Row extends { id: number }>({
  texts,
  columns,
  order,
  load,
  filters = [],
  tools,
  actions,
  add,
  refreshMs,
}: ResourceListProps<Row>) {
  const list = useList(order)
  const { selected, onSelect } = list.selecting
  const chosen = Object.fromEntries(filters.map(({ name }) => [name, list.query[name] ?? '']))
  const loaded = useData((signal) => load({ ...list.asked, ...chosen }, signal), [list.key])
  useRepeat(async () => {
    if (refreshMs !== undefined) loaded.reload()
  }, refreshMs ?? 60_000)
  const { isBusy, run } = useAction()
  const isFiltered = list.asked.search !== '' || Object.values(chosen).some((value) => value !== '')
  const selectMatches = (total: number) => async () => {
    const { rows } = await load({ ...list.asked, ...chosen, start: 0, limit: total }, neverAborted)
    onSelect(new Set(rows.map(({ id }) => id)))
  }
  return (
    <Show loaded={loaded}>
      {({ rows, total }) =>
        total === 0 && !isFiltered ? (
          <Empty>
            {typeof texts.empty === 'string' ? <p>{texts.empty}</p> : texts.empty}
            {add}
          </Empty>
        ) : (
          <>
            <div class="toolbar">
              <SearchForm {...list.searching} label={texts.search} />
              {filters.map(({ name, label, options }) => (
                <SelectField
                  key={name}
                  label={label}
                  value={chosen[name] ?? ''}
                  onValue={(value) => list.go({ [name]: value })}
                  options={options}
                />
              ))}
              {tools?.(list)}
            </div>
            <Selection
              {...list.selecting}
              total={total}
              onSelectMatches={isBusy ? undefined : () => void run(selectMatches(total))}
            >
              {actions?.({
                ids: [...selected],
                onDone: () => {
                  onSelect(new Set())
                  loaded.reload()
                },
                reload: loaded.reload,
              })}
            </Selection>
            {total === 0 ? (
              <Empty>{texts.noMatch}</Empty>
            ) : (
              <>
                <Table
                  caption={texts.title}
                  rows={rows}
                  columns={typeof columns === 'function' ? columns(rows) : columns}
                  keyOf={({ id }) => id}
                  {...list.ordering}
                  {...(actions === undefined ? {} : list.selecting)}
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

const neverAborted = new AbortController().signal

/** The screen of one kind of records: its title, the button that adds one, the list, and the deleted ones. */
export function ResourceListScreen<Row extends { id: number }>({
  path,
  kind,
  add,
  tools,
  above,
  help,
  list,
}: {
  /** The address of the screen. */
  path: string
  /** The kind, where deleted records can be restored. */
  kind?: Kind
  /** The label of the button that adds a record, and the permission that it needs. */
  add?: { label: string; needs: string; href?: string }
  /** Further buttons of the page. */
  tools?: ComponentChildren
  /** Above the list. */
  above?: ComponentChildren
  /** A further line where the list is empty, such as a link to a task. */
  help?: ComponentChildren
  list: Omit<ResourceListProps<Row>, 'add'>
}) {
  const view = useAddress().query['view']
  const { title } = list.texts
  const button = add !== undefined && can(add.needs) && (
    <ButtonLink href={add.href ?? `${path}/new`} kind="primary">
      {add.label}
    </ButtonLink>
  )
  return (
    <Page
      title={title}
      actions={
        <>
          {tools}
          {button}
        </>
      }
    >
      {kind !== undefined && (
        <ListViews
          label={title}
          path={path}
          shown={view}
          views={{ '': title, deleted: words.deleted }}
        />
      )}
      {above}
      {kind !== undefined && view === 'deleted' ? (
        <DeletedList kind={kind} />
      ) : (
        <ResourceList
          {...list}
          add={
            <>
              {button}
              {help}
            </>
          }
        />
      )}
    </Page>
  )
}

/** Published, unpublished, or both: for a filter. */
export const publishedOptions = (published: string, unpublished: string) => [
  { value: '', label: words.all },
  { value: published, label: words.published },
  { value: unpublished, label: words.unpublished },
]

/** The name of a record as a link, with a line below it. */
export function NameCell({
  href,
  name,
  note,
}: {
  href: string
  name: string
  note?: string | null
}) {
  return (
    <>
      <a href={href}>{name}</a>
      {note && <p class="quiet small clamp">{note}</p>}
    </>
  )
}
