import { HelpLink } from '../../design/feedback.tsx'
import type { Column } from '../../design/table.tsx'
import type { Schema } from '../../lib/api.ts'
import { changedColumn, NameCell, publishedColumn } from '../../records/columns.tsx'
import { ResourceListScreen } from '../../records/resource-list.tsx'
import { listOf } from '../../records/stored.ts'
import { brandWords as text } from '../../words/brands.ts'

const domainsShown = 3

const columns: readonly Column<Schema<'Brand'>>[] = [
  {
    label: text.labels.name,
    field: 'name',
    kind: 'name',
    show: ({ id, name, description }) => (
      <NameCell href={`/brands/${id}`} name={name} note={description} brand={id} />
    ),
  },
  {
    label: text.labels.domains,
    priority: 2,
    show: ({ domains }) => domains.slice(0, domainsShown).join(', ') || text.anySender,
  },
  publishedColumn,
  changedColumn,
]

export default function BrandsScreen() {
  return (
    <ResourceListScreen
      path="/brands"
      add={{ label: text.add, needs: 'brand:create' }}
      help={<HelpLink page="add-a-brand" />}
      list={{ texts: text, columns, brandBy: 'none', load: listOf('brand') }}
    />
  )
}
