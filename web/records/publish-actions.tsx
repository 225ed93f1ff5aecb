import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { showBatch } from '../design/show-batch.ts'
import { ask } from '../lib/api.ts'
import { type BatchSummary, inBatches } from '../lib/batch.ts'
import { can } from '../lib/session.ts'
import { showToast } from '../lib/toasts.ts'
import { useAction } from '../lib/use-action.ts'
import { words } from '../words/common.ts'
import { entriesOf, type Kind, kinds } from './deletable.ts'

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
  if (!canPublish(kind)) return null
  const publish = async (isPublished: boolean) => {
    // Undo must not touch those that have the state already.
    const others = await findPublished(kind, ids, !isPublished)
    const summary = await changePublished(kind, others, isPublished)
    const undo = async () => {
      const undone = await changePublished(kind, summary.done, !isPublished)
      showBatch(isPublished ? words.unpublished : words.published, undone)
      onDone()
    }
    if (others.length === 0) showToast(words.batch.unchanged)
    else showBatch(isPublished ? words.published : words.unpublished, summary, { undo })
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

/** Whether the user may publish records of a kind: a batch is an edit. */
export function canPublish(kind: Exclude<Kind, 'contacts'>): boolean {
  const { area } = kinds[kind]
  return can(`${area}:publish`) && can(`${area}:edit`)
}

/** Finds which of the records are published, or are not. */
async function findPublished(
  kind: Exclude<Kind, 'contacts'>,
  ids: readonly number[],
  isPublished: boolean,
): Promise<number[]> {
  const matches: number[] = []
  await inBatches(ids, async (part) => {
    const search = `ids:${part.join(',')} is:${isPublished ? 'published' : 'unpublished'}`
    const query = { search, fields: 'id', limit: part.length }
    const { body } = await ask('GET', kinds[kind].path, { query })
    matches.push(...entriesOf(body).map(({ id }) => id))
    return { statusCodes: [], errors: {} }
  })
  return matches
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
