import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Selection } from '../../design/selection.tsx'
import { showBatch } from '../../design/show-batch.ts'
import { ask } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import { words } from '../../words/common.ts'
import { templateWords } from '../../words/templates.ts'

const text = templateWords
/** The answer has no more of each template: its code may be long. */
const query = { fields: 'id' }

/** Publish, unpublish and delete the selected templates. A message says what became of each. */
export function TemplateActions({
  selected,
  onSelect,
  onDone,
}: {
  selected: ReadonlySet<number>
  onSelect: (selected: ReadonlySet<number>) => void
  onDone: () => void
}) {
  const { isBusy, run } = useAction()
  const [asked, setAsked] = useState<{ isPublished: boolean; named: readonly string[] }>()
  const ids = [...selected]
  const finish = () => {
    onSelect(new Set())
    onDone()
  }
  /** Asks first where another template has the name of a selected one: the name may mean another one then. */
  const askToPublish = (isPublished: boolean) => async () => {
    const named = await findSharedNames(ids)
    if (named.length > 0) setAsked({ isPublished, named })
    else await publish(isPublished)()
  }
  const publish = (isPublished: boolean) => async () => {
    const summary = await inBatches(ids, async (part) => {
      const body = part.map((id) => ({ id, isPublished }))
      return (await ask('PATCH', '/api/twigTemplates/batch/edit', { query, body })).body
    })
    showBatch(isPublished ? words.published : words.unpublished, summary)
    finish()
  }
  return (
    <Selection selected={selected} onSelect={onSelect}>
      {can('twigtemplates:publish') && (
        <>
          <Button isBusy={isBusy} onClick={() => void run(askToPublish(true))}>
            {words.publish}
          </Button>
          <Button isBusy={isBusy} onClick={() => void run(askToPublish(false))}>
            {words.unpublish}
          </Button>
        </>
      )}
      <DeleteRecords
        kind="templates"
        ids={ids}
        title={text.deleteMany(ids.length)}
        text={text.deleteText}
        onDeleted={finish}
        onRestored={onDone}
      />
      {asked !== undefined && (
        <Confirm
          title={text.changeMany(asked.isPublished, ids.length)}
          text={text.changeNames(asked.named)}
          action={asked.isPublished ? words.publish : words.unpublish}
          onConfirm={publish(asked.isPublished)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Selection>
  )
}

/** Finds the templates whose name others have: the API warns of them. */
async function findSharedNames(ids: readonly number[]): Promise<string[]> {
  const named: string[] = []
  await inBatches(ids, async (part) => {
    const query = { search: `ids:${part.join(',')}`, fields: 'id,name,warnings' }
    const { body } = await ask('GET', '/api/twigTemplates', { query })
    for (const { id, name, warnings = [] } of body.twigTemplates)
      if (warnings.length > 0) named.push(`${name} (${id})`)
    return { statusCodes: [], errors: {} }
  })
  return named
}
