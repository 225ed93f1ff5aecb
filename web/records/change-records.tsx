import type { ComponentChildren } from 'preact'
import { can } from '../lib/session.ts'
import { type Kind, kinds } from './deletable.ts'
import { DeleteRecords } from './delete-records.tsx'
import type { ResourceListProps } from './list.tsx'
import { canPublish, type FindImpact, PublishActions } from './publish-actions.tsx'

interface ChangeOptions {
  /** The question before records are deleted, for their number. */
  titleOf: (count: number) => string
  /** What the deletion means. */
  text: ComponentChildren
  findImpact?: FindImpact
}

/** The actions of a list whose records can be published, unless they are contacts, and deleted; none for readers. */
export function changeRecords(
  kind: Kind,
  { findImpact, ...deletion }: ChangeOptions,
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
          findImpact={findImpact}
        />
      )}
      <DeleteRecords kind={kind} ids={ids} onDeleted={onDone} onRestored={reload} {...deletion} />
    </>
  )
}
