import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Selection } from '../../design/selection.tsx'
import { showBatch } from '../../design/show-batch.ts'
import { ask } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { words } from '../../words.ts'

const { list } = words.transports

/** Publish, unpublish and delete the selected transports. A message says what became of each. */
export function TransportActions({
  selected,
  onSelect,
  onDone,
}: {
  selected: ReadonlySet<number>
  onSelect: (selected: ReadonlySet<number>) => void
  onDone: () => void
}) {
  const { isBusy, run } = useAction()
  const [isDeleting, setDeleting] = useState(false)
  const ids = [...selected]
  const query = { fields: 'id' }
  const finish = () => {
    onSelect(new Set())
    onDone()
  }
  const publish = (isPublished: boolean) => async () => {
    const summary = await inBatches(ids, async (part) => {
      const body = part.map((id) => ({ id, isPublished }))
      return (await ask('PATCH', '/api/multipleTransports/batch/edit', { query, body })).body
    })
    showBatch(isPublished ? words.published : words.unpublished, summary)
    finish()
  }
  const remove = async () => {
    const path = '/api/multipleTransports/batch/delete'
    const summary = await inBatches(ids, async (part) => {
      return (await ask('DELETE', path, { query: { ...query, ids: part.join(',') } })).body
    })
    showBatch(words.deleted, summary)
    finish()
  }
  return (
    <Selection selected={selected} onSelect={onSelect}>
      {can('multipleTransports:publish') && (
        <>
          <Button isBusy={isBusy} onClick={() => void run(publish(true))}>
            {words.publish}
          </Button>
          <Button isBusy={isBusy} onClick={() => void run(publish(false))}>
            {words.unpublish}
          </Button>
        </>
      )}
      {can('multipleTransports:delete') && (
        <Button kind="danger" onClick={() => setDeleting(true)}>
          {words.delete}
        </Button>
      )}
      {isDeleting && (
        <Confirm
          title={list.deleteMany(ids.length)}
          text={list.deleteText}
          action={words.delete}
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </Selection>
  )
}
