import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Order } from '../lib/use-list.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { OneLine } from './one-line.tsx'

/** The width of each kind of content, before the space that is left is shared. */
const tracks = {
  /** The link to the record, which is the head of a card. */
  name: 'minmax(220px, 2fr)',
  text: 'minmax(104px, 1fr)',
  sentence: 'minmax(144px, 3fr)',
  dot: 'minmax(56px, 72px)',
  time: 'minmax(88px, max-content)',
  state: 'minmax(96px, max-content)',
  number: 'minmax(64px, max-content)',
  actions: 'max-content',
} as const

/** A column of a table: `show` gives its cell. */
export interface Column<Row> {
  label: string
  /** What it shows, which gives it its width; a text by default. */
  kind?: keyof typeof tracks
  /** What drops first where the table is narrow: 4, then, below 1,024 pixels, 3 and 2. Columns without one stay. */
  priority?: 2 | 3 | 4
  /** The API's field that the column is ordered by. */
  field?: string
  /** One line. A paragraph after it is shown with comfortable rows, in a card, and as the title of the cell. */
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

/**
 * A table. A click on a row follows its first link. j and k go from row to row; x, and Shift with a click for all rows
 * between, select them. With `onSelect`, rows (their numeric keys) can be selected. Where it is narrow, columns drop by
 * their priority, and then each row becomes a card.
 */
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
  const body = useRef<HTMLTableSectionElement>(null)
  /** A key rather than a place, which is another row on another page. */
  const lastToggled = useRef<number | undefined>(undefined)
  const keys = rows.map((row) => Number(keyOf(row)))
  const areAllSelected = keys.length > 0 && keys.every((key) => selected?.has(key))
  const setAll = (chosen: readonly number[], isOn: boolean) => {
    const next = new Set(selected)
    for (const key of chosen) isOn ? next.add(key) : next.delete(key)
    onSelect?.(next)
  }
  const toggle = (index: number, isRange: boolean) => {
    const last = keys.findIndex((key) => isRange && key === lastToggled.current)
    const from = last === -1 ? index : last
    lastToggled.current = keys[index]
    const chosen = keys.slice(Math.min(from, index), Math.max(from, index) + 1)
    setAll(chosen, !selected?.has(keys[index] ?? Number.NaN))
  }
  const press = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return
    const index = Array.from(body.current?.rows ?? []).findIndex((row) => row.contains(target))
    const step = { j: 1, k: -1 }[event.key]
    if (step !== undefined) focusRow(body.current, index + step)
    else if (event.key === 'x' && index !== -1 && onSelect !== undefined) toggle(index, false)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of its rows, whose links have the focus.
    <div class="table-frame" onKeyDown={press} onPointerOver={explainCell}>
      <table class="table" style={layoutOf(columns, onSelect !== undefined)}>
        <caption class="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {onSelect && (
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label={words.table.selectAll(caption)}
                  checked={areAllSelected}
                  onChange={(event) => setAll(keys, event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.label} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, index) => {
            const isSelected = selected?.has(Number(keyOf(row))) ?? false
            return (
              <tr key={keyOf(row)} data-selected={isSelected || undefined} onClick={openRow}>
                {onSelect && (
                  <td>
                    <input
                      type="checkbox"
                      aria-label={words.table.select(keyOf(row))}
                      checked={isSelected}
                      onClick={(event) => toggle(index, event.shiftKey)}
                    />
                  </td>
                )}
                {columns.map(({ label, kind = 'text', priority, show }) => (
                  <td key={label} data-label={label} data-kind={kind} data-priority={priority}>
                    <Cell>{show(row)}</Cell>
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Cell({ children }: { children: ComponentChildren }) {
  return <div>{typeof children === 'string' ? <OneLine text={children} /> : children}</div>
}

/** The tracks of the columns that are left at each width: all, and those without priority 4, 3 and 2. */
function layoutOf<Row>(columns: readonly Column<Row>[], canSelect: boolean) {
  const tracksBelow = (priority: number) => [
    ...(canSelect ? ['max-content'] : []),
    ...columns
      .filter((column) => (column.priority ?? 0) < priority)
      .map(({ kind = 'text' }) => tracks[kind]),
  ]
  return Object.fromEntries(
    [5, 4, 3, 2].map((priority) => [`--below-${priority}`, tracksBelow(priority).join(' ')]),
  )
}

/** Gives a cell that does not show all of its text, such as its second line, the text as its title. */
function explainCell({ target }: PointerEvent): void {
  const cell = (target as Element).closest<HTMLElement>('.table :is(th, td > div)')
  if (cell === null) return
  const parts = [cell, ...cell.querySelectorAll('*')]
  const isWhole = parts.every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)
  cell.title = isWhole && cell.querySelector('p') === null ? '' : cell.innerText.trim()
}

/** Follows the first link of a row that was clicked outside of its links, buttons and texts that someone selects. */
function openRow(event: MouseEvent): void {
  const target = event.target as HTMLElement
  if (target.closest('a, button, input, select, label, summary, dialog') !== null) return
  if (String(getSelection()) !== '') return
  const row = event.currentTarget as HTMLElement
  const link =
    row.querySelector<HTMLAnchorElement>('[data-kind="name"] a') ?? row.querySelector('a')
  link?.dispatchEvent(
    new MouseEvent('click', {
      bubbles: true,
      cancelable: true,
      ctrlKey: event.ctrlKey,
      metaKey: event.metaKey,
    }),
  )
}

/** Focuses the link of a row, or the box that selects it. */
export function focusRow(body: HTMLTableSectionElement | null, index: number): void {
  const row = body?.rows[Math.max(0, Math.min(index, body.rows.length - 1))]
  const first = ['[data-kind="name"] a', 'a', 'input, button'].map((selector) =>
    row?.querySelector<HTMLElement>(selector),
  )
  first.find((target) => target)?.focus()
}

/** Whether a key writes into a control. */
export function isTyping(target: EventTarget | null): boolean {
  const control = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"]'
  return (target as HTMLElement | null)?.closest(control) !== null
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
  const { label, kind = 'text', priority, field } = column
  const isOrdered = field !== undefined && order?.field === field
  const isDescending = order?.isDescending ?? false
  return (
    <th
      scope="col"
      data-kind={kind}
      data-priority={priority}
      aria-sort={isOrdered ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      {field === undefined || onOrder === undefined ? (
        label
      ) : (
        <button
          type="button"
          class="order"
          onClick={() => onOrder({ field, isDescending: isOrdered && !isDescending })}
        >
          {label}
          {isOrdered && <Icon name={isDescending ? 'down' : 'up'} />}
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
}: {
  start: number
  limit: number
  total: number
  onStart: (start: number) => void
}) {
  const end = Math.min(start + limit, total)
  return (
    <nav class="row" aria-label={words.table.pages}>
      <Button disabled={start === 0} onClick={() => onStart(Math.max(0, start - limit))}>
        {words.table.previous}
      </Button>
      <Button disabled={end >= total} onClick={() => onStart(start + limit)}>
        {words.table.next}
      </Button>
      <span class="quiet small">{words.table.range(start + 1, end, total)}</span>
    </nav>
  )
}

/** Leads through a list whose pages continue by `next` of the answer. */
export function NextPages({
  position,
  next,
  onPage,
}: {
  /** Where this page begins, as in the address; undefined for the first. */
  position: string | undefined
  next: number | null
  onPage: (position: number | undefined) => void
}) {
  return (
    <nav class="row" aria-label={words.table.pages}>
      {position !== undefined && (
        <Button onClick={() => onPage(undefined)}>{words.table.newest}</Button>
      )}
      {next !== null && <Button onClick={() => onPage(next)}>{words.table.older}</Button>}
    </nav>
  )
}

/** What can be done with the selected rows of a table; nothing while none is selected. */
export function Selection({
  selected,
  onSelect,
  total,
  onSelectMatches,
  children,
}: {
  selected: ReadonlySet<number>
  onSelect: (selected: ReadonlySet<number>) => void
  /** How many rows match on all pages. */
  total?: number
  onSelectMatches?: (() => void) | undefined
  children: ComponentChildren
}) {
  if (selected.size === 0) return null
  const { table } = words
  return (
    <section class="selection" aria-label={table.selected(selected.size)}>
      <strong aria-live="polite">{table.selected(selected.size)}</strong>
      {onSelectMatches !== undefined && total !== undefined && selected.size < total && (
        <Button kind="plain" onClick={onSelectMatches}>
          {table.selectMatches(total)}
        </Button>
      )}
      {children}
      <Button kind="plain" onClick={() => onSelect(new Set())}>
        {table.clear}
      </Button>
    </section>
  )
}
