import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../design/button.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { LinkedFilters } from '../../design/linked-filters.tsx'
import type { Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { MauticField } from '../../records/mautic-field.tsx'
import type { QueueFilters } from '../../records/queue-filters.ts'
import { words } from '../../words/common.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { nameOf } from './group-name.ts'

type QueueGroup = Schema<'QueueGroup'>

function optionsOf(names: Readonly<Record<string, string>>) {
  const options = Object.entries(names).map(([value, label]) => ({ value, label }))
  return [{ value: '', label: words.all }, ...options]
}

/** The filters of the list. Choices apply at once, texts with Enter. */
export function QueueFilterForm({
  filters,
  groups,
  onFilters,
}: {
  filters: QueueFilters
  /** The groups of the whole queue, whose transports can be chosen. */
  groups: readonly QueueGroup[]
  onFilters: (filters: QueueFilters) => void
}) {
  const [draft, setDraft] = useState(filters)
  const text = (name: 'recipient' | 'sender') => (
    <TextField
      label={texts.labels[name]}
      value={draft[name] ?? ''}
      onValue={(value) => setDraft({ ...draft, [name]: value })}
    />
  )
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault()
        onFilters(draft)
      }}
    >
      <div class="filters">
        {can('contact:view') && text('recipient')}
        {text('sender')}
        <SelectField
          label={texts.labels.state}
          value={draft.state ?? ''}
          onValue={(state) => onFilters({ ...draft, state })}
          options={optionsOf(texts.states)}
        />
        <SelectField
          label={texts.labels.lane}
          value={draft.lane ?? ''}
          onValue={(lane) => onFilters({ ...draft, lane })}
          options={optionsOf(texts.lanes)}
        />
        {can('multipleTransports:view') && (
          <SelectField
            label={texts.labels.transport}
            value={draft.transportId ?? draft.transport ?? ''}
            onValue={(value) => onFilters({ ...draft, ...transportFilter(value) })}
            options={transportOptions(groups, draft)}
          />
        )}
        <MauticField
          none={words.all}
          value={draft.mautic ?? ''}
          onValue={(mautic) => onFilters({ ...draft, mautic })}
        />
        <div class="row">
          <Button kind="primary" type="submit">
            {texts.filter}
          </Button>
          {Object.keys(filters).length > 0 && (
            <ButtonLink kind="plain" href="/queue">
              {texts.clear}
            </ButtonLink>
          )}
        </div>
      </div>
      <LinkedFilters
        filters={[
          ['broadcastId', filters.broadcastId && texts.broadcast(filters.broadcastId)] as const,
        ]}
        onRemove={(name) => onFilters({ ...filters, [name]: '' })}
      />
    </form>
  )
}

const transportWords = ['default', 'none']

/** The filter that a choice of a transport stands for: an id, or a word. */
function transportFilter(value: string): QueueFilters {
  const isWord = transportWords.includes(value)
  return { transportId: isWord ? '' : value, transport: isWord ? value : '' }
}

/** The transports that messages wait for, and the one that is chosen. */
function transportOptions(groups: readonly QueueGroup[], { transportId }: QueueFilters) {
  const waiting = new Map(groups.map((group) => [String(group.transportId ?? ''), nameOf(group)]))
  waiting.delete('')
  if (transportId && !waiting.has(transportId))
    waiting.set(transportId, texts.transportNumber(transportId))
  return [
    { value: '', label: words.all },
    ...[...waiting].map(([value, label]) => ({ value, label })),
    { value: 'default', label: texts.default },
    { value: 'none', label: texts.noTransport },
  ]
}
