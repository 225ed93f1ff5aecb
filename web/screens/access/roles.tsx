import { Show } from '../../design/page.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { accessWords } from '../../words/access.ts'
import { words } from '../../words/common.ts'
import { isArea, isLevel } from './permission-matrix.tsx'

const { roles: texts } = accessWords

const columns: readonly Column<Schema<'Role'>>[] = [
  {
    label: texts.labels.name,
    field: 'name',
    show: ({ id, name }) => <a href={`/access/roles/${id}`}>{name}</a>,
  },
  { label: texts.labels.description, show: ({ description }) => description ?? words.none },
  { label: texts.permissions, show: describe },
]

export function Roles() {
  const list = useList({ field: 'name', isDescending: false })
  const loaded = useData(
    async (signal) => (await ask('GET', '/api/roles', { query: list.asked, signal })).body,
    [list.key],
  )
  return (
    <>
      <p class="quiet">{texts.intro}</p>
      <Show loaded={loaded}>
        {({ roles, total }) => (
          <>
            <Table
              caption={accessWords.tabs.roles}
              rows={roles}
              columns={columns}
              keyOf={({ id }) => id}
              {...list.ordering}
            />
            <Pager {...list.paging} total={total} />
          </>
        )}
      </Show>
    </>
  )
}

/** The permissions of a role in words, such as "Templates: Everything; Contacts: View". */
function describe({ isAdmin, rawPermissions }: Schema<'Role'>): string {
  if (isAdmin) return texts.everything
  const parts = Object.entries(rawPermissions).flatMap(([area, levels]) => {
    const names = levels.filter(isLevel).map((level) => texts.levels[level])
    return isArea(area) && names.length > 0 ? [`${texts.areas[area]}: ${names.join(', ')}`] : []
  })
  return parts.length === 0 ? texts.nothing : parts.join('; ')
}
