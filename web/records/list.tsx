import type { ComponentChildren } from 'preact'
import { Empty } from '../design/feedback.tsx'
import { Show } from '../design/page.tsx'
import { type Column, Pager, Selection, Table } from '../design/table.tsx'
import { ofBrand, whereBrand } from '../lib/brand.ts'
import { useAction } from '../lib/use-action.ts'
import { useFresh } from '../lib/use-data.ts'
import { type List, type Order, useList } from '../lib/use-list.ts'
import { words } from '../words/common.ts'
import { Filters, type ListFilter, valuesOf } from './filters.tsx'

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

export interface ResourceListProps<Row extends { id: number }> {
  texts: ListTexts
  columns: readonly Column<Row>[] | ((rows: readonly Row[]) => readonly Column<Row>[])
  /** By default the names, from A to Z. */
  order?: Order
  load: (query: ListQuery, signal: AbortSignal) => Promise<{ rows: readonly Row[]; total: number }>
  filters?: readonly ListFilter[]
  /** How the request limits the list to the shown brand: as a list of records (default), of messages, or not at all. */
  brandBy?: keyof typeof brandLimits
  /** Further controls beside the filters. */
  tools?: ComponentChildren
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
  order = { field: 'name', isDescending: false },
  load,
  filters = [],
  brandBy = 'where',
  tools,
  actions,
  add,
  refreshMs,
  version = 0,
}: ResourceListProps<Row>) {
  const list = useList(order)
  const { selected, onSelect } = list.selecting
  const chosen = valuesOf(filters, list.query)
  const limits = { ...chosen, ...brandLimits[brandBy]() }
  const asked = { ...list.asked, ...limits }
  const loaded = useFresh((signal) => load(asked, signal), [list.key, version], refreshMs)
  const { isBusy, run } = useAction()
  const isFiltered = list.asked.search !== '' || Object.keys(limits).length > 0
  const selectMatches = (total: number) => async () => {
    const { rows } = await load({ ...asked, start: 0, limit: total }, neverAborted)
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
            <Filters
              search={
                texts.search === undefined ? undefined : { ...list.searching, label: texts.search }
              }
              tools={tools}
              filters={filters}
              values={chosen}
              onValues={list.go}
              hits={words.hits(total, texts.title)}
            />
            <Selection
              {...list.selecting}
              total={total}
              onSelectMatches={
                isFiltered && !isBusy ? () => void run(selectMatches(total)) : undefined
              }
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
                {total > list.paging.limit && <Pager {...list.paging} total={total} />}
              </>
            )}
          </>
        )
      }
    </Show>
  )
}

const brandLimits = {
  where: () => whereBrand(),
  parameter: () => ofBrand(),
  none: (): Record<string, string> => ({}),
}

const neverAborted = new AbortController().signal
