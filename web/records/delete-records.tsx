import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { Notice } from '../design/feedback.tsx'
import { showBatch } from '../design/show-batch.ts'
import type { BatchSummary } from '../lib/batch.ts'
import { can } from '../lib/session.ts'
import type { Tone } from '../lib/toasts.ts'
import { useAction } from '../lib/use-action.ts'
import { words } from '../words/common.ts'
import { deletedWords as text } from '../words/deleted.ts'
import { deleteRecords, type Kind, kinds, restoreRecords } from './deletable.ts'

interface DeleteRecordsProps {
  kind: Kind
  ids: readonly number[]
  /** The question. */
  title: string
  /** What the deletion means. */
  text: ComponentChildren
  onDeleted: () => void
  /** Called after Undo. */
  onRestored: () => void
}

/** A button that deletes records: it names what uses them and asks first, and offers Undo afterwards. */
export function DeleteRecords({
  kind,
  ids,
  onDeleted,
  onRestored,
  ...question
}: DeleteRecordsProps) {
  const { isBusy, run } = useAction()
  const [preview, setPreview] = useState<BatchSummary>()
  if (!can(`${kinds[kind].area}:delete`)) return null
  const open = async () => setPreview(await deleteRecords(kind, ids, { dryRun: '1' }))
  const remove = async (isForced: boolean) => {
    const summary = await deleteRecords(kind, ids, isForced ? { force: '1' } : {})
    const undo = async () => {
      await restoreRecords(kind, summary.done)
      onRestored()
    }
    showBatch(words.deleted, summary, { undo })
    onDeleted()
  }
  const inUse = preview?.failures.filter(isInUse) ?? []
  const label = words.withNumber(words.delete, ids.length)
  const others = ids.length - (preview?.failures.length ?? 0)
  return (
    <>
      <Button kind="danger" isBusy={isBusy} onClick={() => void run(open)}>
        {label}
      </Button>
      {preview !== undefined && (
        <Confirm
          title={question.title}
          text={<Consequences text={question.text} preview={preview} />}
          action={inUse.length > 0 ? words.withNumber(text.deleteAnyway, ids.length) : label}
          keep={ids.length > 1 ? words.keepThem : words.cancel}
          onConfirm={() => remove(inUse.length > 0)}
          other={
            inUse.length > 0 && others > 0
              ? { action: text.deleteOthers(others), onConfirm: () => remove(false) }
              : undefined
          }
          onClose={() => setPreview(undefined)}
        />
      )}
    </>
  )
}

/** What a deletion means, what it would change besides, and what would be kept. */
function Consequences({
  text: meaning,
  preview: { done, messages, failures },
}: {
  text: ComponentChildren
  preview: BatchSummary
}) {
  const isOne = done.length + failures.length === 1
  return (
    <div class="stack">
      <p>{meaning}</p>
      <Consequence tone="warn" title={text.inUse} isOne={isOne} items={failures.filter(isInUse)} />
      <Consequence
        tone="bad"
        title={text.kept}
        isOne={isOne}
        items={failures.filter((failure) => !isInUse(failure))}
      />
      <Consequence tone="neutral" title={text.reported} isOne={isOne} items={messages} />
    </div>
  )
}

const isInUse = ({ status }: { status: number }) => status === 409

const shownMax = 5

function Consequence({
  tone,
  title,
  isOne,
  items,
}: {
  tone: Tone
  title: string
  /** Whether one record is deleted, so that its messages need no id. */
  isOne: boolean
  items: BatchSummary['messages']
}) {
  if (items.length === 0) return null
  return (
    <Notice tone={tone}>
      <p>{title}</p>
      <ul class="lines">
        {items.slice(0, shownMax).map(({ id, message }) => (
          <li key={id}>{isOne ? message : words.batch.item(id, message)}</li>
        ))}
      </ul>
      {items.length > shownMax && <p>{text.more(items.length - shownMax)}</p>}
    </Notice>
  )
}
