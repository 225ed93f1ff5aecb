import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { Notice } from '../design/feedback.tsx'
import { showBatch } from '../design/show-batch.ts'
import type { BatchSummary } from '../lib/batch.ts'
import { can } from '../lib/session.ts'
import { showToast } from '../lib/toasts.ts'
import { useData } from '../lib/use-data.ts'
import { words } from '../words/common.ts'
import { deletedWords as text } from '../words/deleted.ts'
import {
  deleteRecords,
  findRecords,
  type Kind,
  kinds,
  nameOf,
  restoreRecords,
} from './deletable.ts'
import type { ResourceListProps } from './list.tsx'
import { canPublish, type FindImpact, PublishActions } from './publish-actions.tsx'

/** What the deletion of records would change. */
interface Question {
  ids: readonly number[]
  /** Of those that something is said about. */
  names: ReadonlyMap<number, string>
  preview: BatchSummary
  impact: ComponentChildren
}

interface DeleteRecordsProps {
  kind: Kind
  ids: readonly number[]
  /** The questions about one record and about several. */
  texts: { deleteTitle: (name: string) => string; deleteMany: (count: number) => string }
  /** What the deletion means. */
  text: ComponentChildren
  /** Finds what it means for these records besides. */
  findImpact?: FindImpact | undefined
  onDeleted: () => void
  /** Called after Undo. */
  onRestored: () => void
}

/** The actions of a list whose records can be published, unless they are contacts, and deleted; none for readers. */
export function changeRecords(
  kind: Kind,
  options: Pick<DeleteRecordsProps, 'texts' | 'text' | 'findImpact'>,
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

/** A button that deletes records, once the reader has confirmed it. */
function DeleteRecords(props: DeleteRecordsProps) {
  const [isAsking, setAsking] = useState(false)
  if (!can(`${kinds[props.kind].area}:delete`)) return null
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {words.withNumber(words.delete, props.ids.length)}
      </Button>
      {isAsking && <DeletionDialog {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

/** Names records and what uses them, asks, deletes them, and offers Undo afterwards. */
export function DeletionDialog({
  kind,
  ids: selected,
  texts,
  text: meaning,
  findImpact,
  onDeleted,
  onRestored,
  onClose,
}: DeleteRecordsProps & { onClose: () => void }) {
  // Those of the moment: more may be selected while their use is counted.
  const [ids] = useState(selected)
  const { data: asked, fault } = useData(async () => {
    const [preview, impact] = await Promise.all([
      deleteRecords(kind, ids, { dryRun: '1' }),
      findImpact?.(ids, false),
    ])
    const unknown = preview.failures.find(({ status }) => status === 0)
    if (unknown !== undefined) throw new Error(unknown.message)
    const named = [...preview.failures, ...preview.messages].map(({ id }) => id)
    const records = await findRecords(kind, ids.length > 1 ? named : ids)
    const names = new Map(records.map((record) => [record.id, nameOf(record)]))
    return { ids, names, preview, impact }
  }, [])
  useEffect(() => {
    if (fault === undefined) return
    showToast(fault.message, 'bad')
    onClose()
  }, [fault])
  if (asked === undefined) return null
  const names = ids.length === 1 ? [...asked.names.values()] : []
  const inUse = asked.preview.failures.filter(isInUse)
  const kept = asked.preview.failures.length - inUse.length
  const remove = async () => {
    const summary = await deleteRecords(kind, ids, inUse.length > 0 ? { force: '1' } : {})
    const undo = async () => {
      await restoreRecords(kind, summary.done)
      onRestored()
    }
    const say = (count: number) => words.batch.done(words.deleted, count, names)
    showBatch(say, summary, { undo })
    onDeleted()
  }
  return (
    <Confirm
      title={names[0] === undefined ? texts.deleteMany(ids.length) : texts.deleteTitle(names[0])}
      text={<Consequences text={meaning} {...asked} />}
      action={words.withNumber(
        inUse.length > 0 ? text.deleteAnyway : words.delete,
        ids.length - kept,
      )}
      isDisabled={kept === ids.length}
      keep={ids.length > 1 ? words.keepThem : words.keepIt}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}

const isInUse = ({ status }: { status: number }) => status === 409

const shownMax = 5

/** What a deletion means, what it would change besides, and what would be kept. */
function Consequences({
  text: meaning,
  ids,
  names,
  preview: { messages, failures },
  impact,
}: Question & { text: ComponentChildren }) {
  const parts = [
    { tone: 'warn', title: text.inUse, items: failures.filter(isInUse) },
    { tone: 'bad', title: text.kept, items: failures.filter((failure) => !isInUse(failure)) },
    { tone: 'neutral', title: text.reported, items: messages },
  ] as const
  const shown = parts.filter(({ items }) => items.length > 0)
  return (
    <div class="stack">
      <p>{meaning}</p>
      {impact && <p>{impact}</p>}
      {shown.map(({ tone, title, items }) => (
        <Notice key={tone} tone={tone}>
          <p>{title}</p>
          <ul class="lines">
            {items.slice(0, shownMax).map(({ id, message }) => (
              <li key={id}>
                {ids.length > 1 && names.has(id) ? `${names.get(id)}: ${message}` : message}
              </li>
            ))}
          </ul>
          {items.length > shownMax && <p>{words.moreBelow(items.length - shownMax)}</p>}
        </Notice>
      ))}
    </div>
  )
}
