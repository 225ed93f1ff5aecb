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

/** The column of when a record was changed last. */
export const changedColumn: Column<{ dateAdded: string; dateModified: string | null }> = {
  label: words.changed,
  kind: 'time',
  field: 'dateModified',
  priority: 4,
  show: ({ dateModified, dateAdded }) => <Time iso={dateModified ?? dateAdded} />,
}
