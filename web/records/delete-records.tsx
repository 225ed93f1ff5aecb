import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { Notice } from '../design/feedback.tsx'
import { showBatch } from '../design/show-batch.ts'
import type { BatchSummary } from '../lib/batch.ts'
import { can } from '../lib/session.ts'
import { useAction } from '../lib/use-action.ts'
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

/** What is asked before records are deleted: what their deletion would change. */
interface Question {
  ids: readonly number[]
  /** Of several records that something is said about. */
  names: ReadonlyMap<number, string>
  preview: BatchSummary
}

interface DeleteRecordsProps {
  kind: Kind
  ids: readonly number[]
  /** The question, for the number of records. */
  titleOf: (count: number) => string
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
  const [asked, setAsked] = useState<Question>()
  if (!can(`${kinds[kind].area}:delete`)) return null
  const open = async () => {
    const preview = await deleteRecords(kind, ids, { dryRun: '1' })
    const unknown = preview.failures.find(({ status }) => status === 0)
    if (unknown !== undefined) throw new Error(unknown.message)
    const named = [...preview.failures, ...preview.messages].map(({ id }) => id)
    const records = ids.length > 1 ? await findRecords(kind, named) : []
    const names = new Map(records.map((record) => [record.id, nameOf(record)]))
    setAsked({ ids, names, preview })
  }
  const remove = (chosen: readonly number[]) => async (isForced: boolean) => {
    const summary = await deleteRecords(kind, chosen, isForced ? { force: '1' } : {})
    const undo = async () => {
      await restoreRecords(kind, summary.done)
      onRestored()
    }
    showBatch(words.deleted, summary, { undo })
    onDeleted()
  }
  return (
    <>
      <Button kind="danger" isBusy={isBusy} onClick={() => void run(open)}>
        {words.withNumber(words.delete, ids.length)}
      </Button>
      {asked !== undefined && (
        <Confirm
          title={question.titleOf(asked.ids.length)}
          text={<Consequences text={question.text} {...asked} />}
          {...actionsOf(asked, remove(asked.ids))}
          keep={asked.ids.length > 1 ? words.keepThem : words.keepIt}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

/** The buttons: all that can be deleted, by force where some are in use, or only those that are not in use. */
function actionsOf(
  { ids, preview: { failures } }: Question,
  remove: (isForced: boolean) => Promise<void>,
) {
  const inUse = failures.filter(isInUse).length
  const others = ids.length - failures.length
  const label = inUse > 0 ? text.deleteAnyway : words.delete
  return {
    action: words.withNumber(label, inUse + others),
    isDisabled: inUse + others === 0,
    onConfirm: () => remove(inUse > 0),
    other:
      inUse > 0 && others > 0
        ? { action: text.deleteOthers(others), onConfirm: () => remove(false) }
        : undefined,
  }
}

const isInUse = ({ status }: { status: number }) => status === 409

const shownMax = 5

/** What a deletion means, what it would change besides, and what would be kept. */
function Consequences({
  text: meaning,
  names,
  preview: { messages, failures },
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
      {shown.map(({ tone, title, items }) => (
        <Notice key={tone} tone={tone}>
          <p>{title}</p>
          <ul class="lines">
            {items.slice(0, shownMax).map(({ id, message }) => (
              <li key={id}>{names.has(id) ? `${names.get(id)}: ${message}` : message}</li>
            ))}
          </ul>
          {items.length > shownMax && <p>{words.moreBelow(items.length - shownMax)}</p>}
        </Notice>
      ))}
    </div>
  )
}
