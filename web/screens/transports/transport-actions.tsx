import { Button } from '../../design/button.tsx'
import { Selection } from '../../design/selection.tsx'
import { showBatch } from '../../design/show-batch.ts'
import { ask } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import { words } from '../../words/common.ts'
import { transportWords } from '../../words/transports.ts'
import { MoveHelp } from './move-help.tsx'

const { list } = transportWords

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
      <DeleteRecords
        kind="transports"
        ids={ids}
        title={list.deleteMany(ids.length)}
        text={
          <>
            {list.deleteText} <MoveHelp />
          </>
        }
        onDeleted={finish}
        onRestored={onDone}
      />
    </Selection>
  )
}
