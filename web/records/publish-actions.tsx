import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ActionButton } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { showBatch } from '../design/show-batch.ts'
import { ask } from '../lib/api.ts'
import { type BatchSummary, inBatches } from '../lib/batch.ts'
import { can } from '../lib/session.ts'
import { showToast } from '../lib/toasts.ts'
import { words } from '../words/common.ts'
import { publishWords } from '../words/published.ts'
import { findRecords, type Kind, kinds, nameOf } from './deletable.ts'

/** What is asked before records are published or unpublished. */
interface Question {
  /** Those that have the other state now. */
  ids: readonly number[]
  names: readonly string[]
  isPublished: boolean
  /** What it means for these records besides. */
  impact: ComponentChildren
}

/** Finds what it means for some records, such as that a name means another one then; it is asked first, unless undefined. */
export type FindImpact = (
  ids: readonly number[],
  isPublished: boolean,
) => Promise<ComponentChildren>

/** Buttons that publish and unpublish the selected records, with Undo afterwards. To unpublish several is asked first. */
export function PublishActions({
  kind,
  ids,
  onDone,
  onUndone,
  findImpact,
}: {
  kind: Exclude<Kind, 'contacts'>
  ids: readonly number[]
  onDone: () => void
  onUndone: () => void
  findImpact?: FindImpact | undefined
}) {
  const [asked, setAsked] = useState<Question>()
  const publish = async ({ ids: changed, names, isPublished }: Question) => {
    const summary = await changePublished(kind, changed, isPublished)
    const say = (isOn: boolean) => (count: number) =>
      words.batch.done(isOn ? words.published : words.unpublished, count, names)
    const undo = async () => {
      const undone = await changePublished(kind, summary.done, !isPublished)
      showBatch(say(!isPublished), undone)
      onUndone()
    }
    showBatch(say(isPublished), summary, { undo })
    onDone()
  }
  const begin = (isPublished: boolean) => async () => {
    const others = await findRecords(kind, ids, isPublished ? 'is:unpublished' : 'is:published')
    if (others.length === 0) {
      showToast(words.batch.unchanged)
      return
    }
    const changed = others.map(({ id }) => id)
    const impact = await findImpact?.(changed, isPublished)
    const question = { ids: changed, names: others.map(nameOf), isPublished, impact }
    const isAsked = impact !== undefined || (!isPublished && others.length > 1)
    if (isAsked) setAsked(question)
    else await publish(question)
  }
  const verbOf = (isPublished: boolean) => (isPublished ? words.publish : words.unpublish)
  const labelOf = (isPublished: boolean, number: number) =>
    words.withNumber(verbOf(isPublished), number)
  return (
    <>
      <ActionButton action={begin(true)}>{labelOf(true, ids.length)}</ActionButton>
      <ActionButton action={begin(false)}>{labelOf(false, ids.length)}</ActionButton>
      {asked !== undefined && (
        <Confirm
          title={publishWords.title(verbOf(asked.isPublished), kind, asked.names)}
          text={
            <>
              {!asked.isPublished && <p>{publishWords.effects[kind]}</p>}
              {asked.impact !== undefined && <p>{asked.impact}</p>}
            </>
          }
          action={labelOf(asked.isPublished, asked.ids.length)}
          keep={asked.ids.length > 1 ? words.keepThem : words.keepIt}
          onConfirm={() => publish(asked)}
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
