import type { ComponentChildren } from 'preact'
import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/feedback.tsx'
import { SelectField } from '../design/field.tsx'
import { LinkedFilters } from '../design/linked-filters.tsx'
import { ListViews } from '../design/list-views.tsx'
import { Page, Show } from '../design/page.tsx'
import { type Choice, Picker } from '../design/picker.tsx'
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

/**
 * What leaves rows out of a list: a parameter of the address and of the request. It is one of few `options`, or of many that
 * `find` offers; with neither, only links set it, and it can be removed.
 */
export interface ListFilter {
  name: string
  label: string
  /** Value and label of each choice; the first is that of no filter. */
  options?: readonly { value: string; label: string }[]
  find?: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>
  /** Names a value that is in the address; its label and itself by default. */
  nameOf?: (value: string) => string
}

/** What the API is asked for: a page, its order, and the filters. */
export type ListQuery = List['asked'] & Readonly<Record<string, string | number>>

interface ListTexts {
  title: string
  /** The label of the search box; without it there is none. */
  search?: string
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
  /** Loads the list again whenever it changes, such as after an action above the list. */
  version?: number
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
  version = 0,
}: ResourceListProps<Row>) {
  const list = useList(order)
  const { selected, onSelect } = list.selecting
  const chosen = Object.fromEntries(filters.map(({ name }) => [name, list.query[name] ?? '']))
  const loaded = useData(
    (signal) => load({ ...list.asked, ...chosen }, signal),
    [list.key, version],
  )
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
              {texts.search !== undefined && (
                <SearchForm {...list.searching} label={texts.search} />
              )}
              {filters.map((filter) => (
                <FilterControl
                  key={filter.name}
                  filter={filter}
                  value={chosen[filter.name] ?? ''}
                  onValue={(value) => list.go({ [filter.name]: value })}
                />
              ))}
              {tools?.(list)}
            </div>
            <LinkedFilters
              filters={filters
                .filter(({ options, find }) => options === undefined && find === undefined)
                .map((filter) => [filter.name, nameOfValue(filter, chosen[filter.name])])}
              onRemove={(name) => list.go({ [name]: undefined })}
            />
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

function nameOfValue({ label, nameOf }: ListFilter, value = ''): string | undefined {
  if (value === '') return undefined
  return nameOf?.(value) ?? `${label}: ${value}`
}

function FilterControl({
  filter,
  value,
  onValue,
}: {
  filter: ListFilter
  value: string
  onValue: (value: string | undefined) => void
}) {
  const { label, options, find } = filter
  if (options !== undefined)
    return <SelectField label={label} value={value} onValue={onValue} options={options} />
  if (find === undefined) return null
  const name = nameOfValue(filter, value)
  return (
    <Picker
      label={label}
      value={name === undefined ? undefined : { value, label: name }}
      onValue={(choice) => onValue(choice?.value)}
      find={find}
    />
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
  views = {},
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
  /** Further views beside the list, by their names in the address. */
  views?: Readonly<Record<string, { title: string; content: ComponentChildren }>>
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
          views={{
            '': title,
            ...Object.fromEntries(Object.entries(views).map(([name, each]) => [name, each.title])),
            deleted: words.deleted,
          }}
        />
      )}
      {above}
      {kind !== undefined && view === 'deleted' ? (
        <DeletedList kind={kind} />
      ) : view !== undefined && views[view] !== undefined ? (
        views[view].content
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
