import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { showBatch } from '../design/show-batch.ts'
import { ask } from '../lib/api.ts'
import { type BatchSummary, inBatches } from '../lib/batch.ts'
import { can } from '../lib/session.ts'
import { useAction } from '../lib/use-action.ts'
import { words } from '../words/common.ts'
import { type Kind, kinds } from './deletable.ts'

/** What is asked before records are published or unpublished. */
interface Question {
  title: string
  text: ComponentChildren
}

/** Buttons that publish and unpublish the selected records, with Undo afterwards. */
export function PublishActions({
  kind,
  ids,
  onDone,
  ask: findQuestion,
}: {
  kind: Exclude<Kind, 'contacts'>
  ids: readonly number[]
  onDone: () => void
  /** Finds what is asked first, such as where a name then means another record; undefined for nothing. */
  ask?: (isPublished: boolean) => Promise<Question | undefined>
}) {
  const { isBusy, run } = useAction()
  const [asked, setAsked] = useState<Question & { isPublished: boolean }>()
  if (!can(`${kinds[kind].area}:publish`)) return null
  const publish = async (isPublished: boolean) => {
    const summary = await changePublished(kind, ids, isPublished)
    const undo = async () => {
      await changePublished(kind, summary.done, !isPublished)
      onDone()
    }
    showBatch(isPublished ? words.published : words.unpublished, summary, { undo })
    onDone()
  }
  const begin = (isPublished: boolean) => async () => {
    const question = await findQuestion?.(isPublished)
    if (question === undefined) await publish(isPublished)
    else setAsked({ ...question, isPublished })
  }
  return (
    <>
      <Button isBusy={isBusy} onClick={() => void run(begin(true))}>
        {words.publish}
      </Button>
      <Button isBusy={isBusy} onClick={() => void run(begin(false))}>
        {words.unpublish}
      </Button>
      {asked !== undefined && (
        <Confirm
          title={asked.title}
          text={asked.text}
          action={asked.isPublished ? words.publish : words.unpublish}
          onConfirm={() => publish(asked.isPublished)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

/** Publishes or unpublishes records. */
function changePublished(
  kind: Exclude<Kind, 'contacts'>,
  ids: readonly number[],
  isPublished: boolean,
): Promise<BatchSummary> {
  return inBatches(ids, async (part) => {
    const body = part.map((id) => ({ id, isPublished }))
    // The answer has no more of each record: the code of a template may be long.
    const query = { fields: 'id' }
    return (await ask('PATCH', `${kinds[kind].path}/batch/edit`, { query, body })).body
  })
}
