import { PublishedBadge } from '../design/feedback.tsx'
import type { Column } from '../design/table.tsx'
import { Time } from '../design/time.tsx'
import { words } from '../words/common.ts'
import type { OfBrand } from './brands.tsx'
import { NameCell } from './resource-list.tsx'

/** The first column of a list: the name, which leads to the record below `path`, and a line below it. */
export function nameColumn<Row extends OfBrand & { id: number; name: string }>(
  path: string,
  label: string,
  noteOf: (row: Row) => string | null | undefined = () => undefined,
): Column<Row> {
  return {
    label,
    field: 'name',
    kind: 'name',
    show: (row) => (
      <NameCell href={`${path}/${row.id}`} name={row.name} note={noteOf(row)} brand={row.brand} />
    ),
  }
}

/** The column of whether a record is published. */
export const publishedColumn: Column<{ isPublished: boolean }> = {
  label: words.state,
  kind: 'state',
  field: 'isPublished',
  show: ({ isPublished }) => <PublishedBadge isPublished={isPublished} />,
}

/** A column of a time. `past` is shown instead of a time that is over, `none` where there is none. */
export function timeColumn<Row>(
  label: string,
  timeOf: (row: Row) => string | null | undefined,
  {
    past,
    none,
    ...options
  }: Pick<Column<Row>, 'field' | 'priority'> & { past?: string; none?: string } = {},
): Column<Row> {
  const shownNone = none && <span class="quiet">{none}</span>
  const show = (row: Row) => <Time iso={timeOf(row)} past={past} none={shownNone} />
  return { label, kind: 'time', show, ...options }
}

/** The column of when a record was changed last. */
export const changedColumn = timeColumn<{ dateAdded: string; dateModified: string | null }>(
  words.changed,
  ({ dateModified, dateAdded }) => dateModified ?? dateAdded,
  { field: 'dateModified', priority: 4 },
)
