import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { fromLocalTime, toLocalTime } from '../../records/periods.ts'
import { counted } from '../../words/format.ts'

const text = {
  title: 'Delete suppressions',
  effect:
    'The addresses get emails again. Delete an unsubscription only if the recipient has asked for it.',
  reports:
    'Reports of them to a Mautic are taken back: the contacts are taken off “Do not contact”, unless the entry was changed in Mautic.',
  addedSince: 'Added since',
  addedSinceHelp: 'Empty for all of them.',
  keep: 'Keep them',
  confirm: (count: number | undefined) =>
    count === undefined ? 'Delete' : `Delete ${counted(count, 'suppression')}`,
  done: (count: number) => `Deleted: ${counted(count, 'suppression')}.`,
} as const

type Filter = Schema<'SuppressionFilter'>

/** The filters in the address of the list as the API takes them. */
export function apiFilterOf(filters: Readonly<Record<string, string | number>>): Filter {
  const entries = Object.entries(filters).flatMap(([name, value]): [string, string | number][] => {
    if (value === '') return []
    if (name === 'transportId' && value === 'default') return [['transport', value]]
    return [[name, name === 'brand' || name.endsWith('Id') ? Number(value) : value]]
  })
  return Object.fromEntries(entries)
}

/** A button that deletes all suppressions that match a filter. It shows their number and asks first. */
export function DeleteMatching({
  label,
  ...question
}: Omit<QuestionProps, 'onClose'> & { label: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {label}
      </Button>
      {isAsking && <Question {...question} onClose={() => setAsking(false)} />}
    </>
  )
}

interface QuestionProps {
  filter: Filter
  onDone: () => void
  onClose: () => void
}

function Question({ filter, onDone, onClose }: QuestionProps) {
  const [addedSince, setAddedSince] = useState('')
  const isOfTransport = 'transportId' in filter || 'transport' in filter
  const body: Filter = addedSince === '' ? filter : { ...filter, addedSince }
  const counted = useData(
    async (signal) => {
      const options = { query: { dryRun: '1' }, body, isRead: true, signal }
      return (await ask('POST', '/api/suppressions/delete', options)).body.suppressions
    },
    [addedSince],
  )
  const count = counted.isLoading ? undefined : counted.data
  const remove = async () => {
    const answer = await ask('POST', '/api/suppressions/delete', { body })
    showToast(text.done(answer.body.suppressions))
    onDone()
  }
  return (
    <Confirm
      title={text.title}
      text={
        <div class="stack">
          <p>{text.effect}</p>
          <p>{text.reports}</p>
          {isOfTransport && (
            <TextField
              label={text.addedSince}
              help={text.addedSinceHelp}
              type="datetime-local"
              value={toLocalTime(addedSince)}
              onValue={(value) => setAddedSince(fromLocalTime(value))}
            />
          )}
          {counted.fault !== undefined && <Notice tone="bad">{counted.fault.message}</Notice>}
        </div>
      }
      action={text.confirm(count)}
      keep={text.keep}
      isDisabled={!count}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
