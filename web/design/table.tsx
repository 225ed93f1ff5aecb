import type { ComponentChildren } from 'preact'
import type { Order } from '../lib/use-list.ts'
import { words } from '../words/common.ts'

/** A column of a table: `show` gives its cell. */
export interface Column<Row> {
  label: string
  isNumber?: boolean
  /** The API's field that the column is ordered by. */
  field?: string
  show: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  /** What the table lists, for assistive technology. */
  caption: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string | number
  order?: Order
  onOrder?: (order: Order) => void
  selected?: ReadonlySet<number>
  onSelect?: (selected: ReadonlySet<number>) => void
}

/** A table; below 40 rem each row becomes a card. With `onSelect`, rows (their numeric keys) can be selected. */
export function Table<Row>({
  caption,
  rows,
  columns,
  keyOf,
  order,
  onOrder,
  selected,
  onSelect,
}: TableProps<Row>) {
  const keys = rows.map((row) => Number(keyOf(row)))
  const areAllSelected = keys.length > 0 && keys.every((key) => selected?.has(key))
  const toggle = (some: readonly number[], isOn: boolean) => {
    const next = new Set(selected)
    for (const key of some) isOn ? next.add(key) : next.delete(key)
    onSelect?.(next)
  }
  return (
    <div class="table-frame">
      <table class="table">
        <caption class="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {onSelect && (
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label={words.table.selectAll(caption)}
                  checked={areAllSelected}
                  onChange={(event) => toggle(keys, event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.label} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {onSelect && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={words.table.select(keyOf(row))}
                    checked={selected?.has(Number(keyOf(row))) ?? false}
                    onChange={(event) => toggle([Number(keyOf(row))], event.currentTarget.checked)}
                  />
                </td>
              )}
              {columns.map(({ label, isNumber, show }) => (
                <td key={label} data-label={label} class={isNumber ? 'number' : undefined}>
                  <div>{show(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Heading<Row>({
  column,
  order,
  onOrder,
}: {
  column: Column<Row>
  order?: Order | undefined
  onOrder?: ((order: Order) => void) | undefined
}) {
  const { label, isNumber, field } = column
  const isOrdered = field !== undefined && order?.field === field
  const direction = order?.isDescending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isOrdered ? direction : undefined}
    >
      {field === undefined || onOrder === undefined ? (
        label
      ) : (
        <button
          type="button"
          class="order"
          onClick={() => onOrder({ field, isDescending: isOrdered && !order?.isDescending })}
        >
          {label}
          {isOrdered ? (order?.isDescending ? ' ↓' : ' ↑') : ''}
        </button>
      )}
    </th>
  )
}

/** Previous and next page of a list that the server pages. */
export function Pager({
  start,
  limit,
  total,
  onStart,
  list,
}: {
  start: number
  limit: number
  total: number
  onStart: (start: number) => void
  /** The name of the list, where a page has several. */
  list?: string
}) {
  const end = Math.min(start + limit, total)
  return (
    <nav
      class="row"
      aria-label={list === undefined ? words.table.pages : words.table.pagesOf(list)}
    >
      <button
        type="button"
        class="button"
        disabled={start === 0}
        onClick={() => onStart(Math.max(0, start - limit))}
      >
        {words.table.previous}
      </button>
      <button
        type="button"
        class="button"
        disabled={end >= total}
        onClick={() => onStart(start + limit)}
      >
        {words.table.next}
      </button>
      <span class="quiet small">
        {total === 0 ? '0' : words.table.range(start + 1, end, total)}
      </span>
    </nav>
  )
}
