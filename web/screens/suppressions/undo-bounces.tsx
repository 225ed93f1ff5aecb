import { useState } from 'preact/hooks'
import { Confirm } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { fromLocalTime, toLocalTime } from '../../records/delivery-filters.ts'
import type { Filters } from '../../records/suppression-filters.ts'
import { suppressionWords } from '../../words/suppressions.ts'

const text = suppressionWords.undo

/** Undoes the bounces that a broadcast, a transport or a delivery has found. It shows their number first. */
export function UndoBounces({
  filters,
  foundBy,
  onDone,
  onClose,
}: {
  filters: Filters
  /** What has found them, for people. */
  foundBy: readonly string[]
  onDone: () => void
  onClose: () => void
}) {
  const [addedSince, setAddedSince] = useState('')
  const body = undoOf(filters, addedSince)
  const counted = useData(
    async (signal) => {
      const options = { query: { dryRun: '1' }, body, isRead: true, signal }
      return (await ask('POST', '/api/suppressions/undo', options)).body.suppressions
    },
    [addedSince],
  )
  const count = counted.isLoading ? undefined : counted.data
  const undo = async () => {
    const { suppressions } = (await ask('POST', '/api/suppressions/undo', { body })).body
    showToast(text.done(suppressions))
    onDone()
  }
  return (
    <Confirm
      title={text.title}
      text={
        <div class="stack">
          <p>{text.effect(foundBy)}</p>
          <p>{text.reports}</p>
          <TextField
            label={text.addedSince}
            help={text.addedSinceHelp}
            type="datetime-local"
            value={toLocalTime(addedSince)}
            onValue={(value) => setAddedSince(fromLocalTime(value))}
          />
          {counted.fault !== undefined && <Notice tone="bad">{counted.fault.message}</Notice>}
        </div>
      }
      action={text.confirm(count)}
      isDisabled={count === undefined || count === 0}
      onConfirm={undo}
      onClose={onClose}
    />
  )
}

function undoOf(
  { broadcastId, transportId, transport, deliveryId }: Filters,
  addedSince: string,
): Schema<'UndoSuppressions'> {
  const ids = Object.entries({ broadcastId, transportId, deliveryId }).filter(([, id]) => id)
  return {
    ...Object.fromEntries(ids.map(([name, id]) => [name, Number(id)])),
    ...(transport === 'default' ? { transport } : {}),
    ...(addedSince === '' ? {} : { addedSince }),
  }
}
