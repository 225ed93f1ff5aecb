import type { ComponentProps } from 'preact'
import { can } from '../lib/session.ts'
import { type Kind, kinds } from './deletable.ts'
import { DeleteRecords } from './delete-records.tsx'
import type { ResourceListProps } from './list.tsx'
import { canPublish, PublishActions } from './publish-actions.tsx'

/** The actions of a list whose records can be published, unless they are contacts, and deleted; none for readers. */
export function changeRecords(
  kind: Kind,
  options: Pick<ComponentProps<typeof DeleteRecords>, 'texts' | 'text' | 'findImpact'>,
): ResourceListProps<{ id: number }>['actions'] {
  const isPublishable = kind !== 'contacts' && canPublish(kind)
  if (!isPublishable && !can(`${kinds[kind].area}:delete`)) return undefined
  return ({ ids, onDone, reload }) => (
    <>
      {isPublishable && (
        <PublishActions
          kind={kind}
          ids={ids}
          onDone={onDone}
          onUndone={reload}
          findImpact={options.findImpact}
        />
      )}
      <DeleteRecords kind={kind} ids={ids} onDeleted={onDone} onRestored={reload} {...options} />
    </>
  )
}
