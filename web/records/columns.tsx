import { PublishedBadge } from '../design/feedback.tsx'
import { OneLine } from '../design/one-line.tsx'
import type { Column } from '../design/table.tsx'
import { Time } from '../design/time.tsx'
import { words } from '../words/common.ts'
import { BrandDot, nameInList, type OfBrand } from './brands.tsx'

/** The name of a record as a link after the dot of its brand, with a line below it. */
export function NameCell({
  href,
  name,
  note,
  brand,
}: OfBrand & {
  href: string
  name: string
  note?: string | null
}) {
  return (
    <>
      <BrandDot brand={brand} />
      <a href={href}>
        <OneLine text={nameInList(name, { brand })} />
      </a>
      {note && <p class="quiet small">{note}</p>}
    </>
  )
}

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
