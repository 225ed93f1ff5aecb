import type { ComponentChildren } from 'preact'
import { ButtonLink } from '../design/button.tsx'
import { choicesOf } from '../design/field.tsx'
import { ListViews } from '../design/list-views.tsx'
import { Page } from '../design/page.tsx'
import { can } from '../lib/session.ts'
import { useAddress } from '../lib/use-address.ts'
import { words } from '../words/common.ts'
import type { Kind } from './deletable.ts'
import { DeletedList } from './deleted-list.tsx'
import type { ListFilter } from './filters.tsx'
import { ResourceList, type ResourceListProps } from './list.tsx'

export type { ListFilter } from './filters.tsx'
export { ResourceList } from './list.tsx'

/** The screen of one kind of records: its title, the button that adds one, the list, and the deleted ones. */
export function ResourceListScreen<Row extends { id: number }>({
  path,
  kind,
  add,
  tools,
  help,
  list,
}: {
  /** The address of the screen. */
  path: string
  /** The kind, where deleted records can be restored. */
  kind?: Kind
  /** The label of the button that adds a record, and the permission that it needs. */
  add?: { label: string; needs: string }
  /** Further buttons of the page. */
  tools?: ComponentChildren
  /** A further line where the list is empty, such as a link to a task. */
  help?: ComponentChildren
  list: Omit<ResourceListProps<Row>, 'add'>
}) {
  const view = useAddress().query['view']
  const { title } = list.texts
  const button = add !== undefined && can(add.needs) && (
    <ButtonLink href={`${path}/new`} kind="primary">
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

/** Published, unpublished, or both: a filter. */
export const publishedFilter: ListFilter = {
  name: 'state',
  label: words.state,
  options: choicesOf({ published: words.published, unpublished: words.unpublished }),
}
