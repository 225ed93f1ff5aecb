import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Badge, Empty, HelpLink, type Tone } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { Selection } from '../../design/selection.tsx'
import { showBatch } from '../../design/show-batch.ts'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { type List, useList } from '../../lib/use-list.ts'
import { suppressionWords as text } from '../../words/suppressions.ts'
import { words } from '../../words.ts'
import { AddSuppression } from './add-suppression.tsx'
import { ImportSuppressions } from './import-suppressions.tsx'
import { reasonOptions } from './reasons.ts'

type Suppression = Schema<'Suppression'>

const tones: Record<Suppression['reason'], Tone> = {
  unsubscribed: 'neutral',
  bounced: 'warn',
  complained: 'bad',
  manual: 'accent',
}

const columns: readonly Column<Suppression>[] = [
  { label: text.address, field: 'address', show: ({ address }) => address },
  {
    label: text.reason,
    field: 'reason',
    show: ({ reason }) => <Badge tone={tones[reason]}>{text.reasons[reason]}</Badge>,
  },
  {
    label: text.scope,
    field: 'senderDomain',
    show: ({ senderDomain }) => senderDomain ?? text.everySender,
  },
  { label: text.source, show: ({ source }) => <Source source={source} /> },
  { label: text.since, field: 'dateAdded', show: ({ dateAdded }) => <Time iso={dateAdded} /> },
  { label: text.by, show: ({ createdBy }) => createdBy ?? words.none },
]

/** Where a suppression comes from; a delivery, a broadcast, an email and a Mautic can be opened. */
function Source({ source }: { source: string | null }) {
  const [, kind, id] = /^(delivery|broadcast|email|mautic) (\d+)$/.exec(source ?? '') ?? []
  const mayOpen = can(kind === 'mautic' ? 'api:view' : 'email:view')
  if (kind === undefined || !mayOpen) return <>{source ?? words.none}</>
  const places: Record<string, string> = { delivery: 'deliveries' }
  return <a href={`/${places[kind] ?? `${kind}s`}/${id}`}>{source}</a>
}

/** The addresses that get no emails, and why. */
export function SuppressionsScreen() {
  const list = useList({ field: 'dateAdded', isDescending: true })
  const [open, setOpen] = useState<'add' | 'import'>()
  const { reason = '', address = '' } = list.query
  const filters = { search: list.asked.search, reason, address }
  const loaded = useData(
    async (signal) => {
      const query = { ...list.asked, reason, address }
      return (await ask('GET', '/api/suppressions', { query, signal })).body
    },
    [list.key],
  )
  const close = () => setOpen(undefined)
  const canAdd = can('contact:create')
  return (
    <Page
      title={text.title}
      actions={
        <>
          <a
            class="button"
            href={withQuery('/api/suppressions.csv', filters)}
            download="suppressions.csv"
          >
            {text.export}
          </a>
          {canAdd && can('contact:edit') && (
            <Button onClick={() => setOpen('import')}>{text.import}</Button>
          )}
          {canAdd && (
            <Button kind="primary" onClick={() => setOpen('add')}>
              {text.add}
            </Button>
          )}
        </>
      }
    >
      {open === 'add' && <AddSuppression onDone={loaded.reload} onClose={close} />}
      {open === 'import' && <ImportSuppressions onDone={loaded.reload} onClose={close} />}
      <Show loaded={loaded}>
        {({ suppressions, total }) =>
          total === 0 && Object.values(filters).every((value) => value === '') ? (
            <Empty>
              <p>{text.empty}</p>
              <HelpLink page="jane-did-not-get-her-mail">{text.task}</HelpLink>
            </Empty>
          ) : (
            <>
              <div class="toolbar">
                <SearchForm {...list.searching} label={text.search} />
                <SelectField
                  label={text.filter}
                  value={reason}
                  onValue={(value) => list.go({ reason: value || undefined, start: undefined })}
                  options={[{ value: '', label: text.every }, ...reasonOptions]}
                />
                {address !== '' && (
                  <Button
                    aria-label={text.removeAddress(address)}
                    onClick={() => list.go({ address: undefined })}
                  >
                    {address} ×
                  </Button>
                )}
              </div>
              {can('contact:delete') && <DeleteMany {...list.selecting} onDone={loaded.reload} />}
              {total === 0 ? (
                <Empty>{text.noMatch}</Empty>
              ) : (
                <>
                  <Table
                    caption={text.title}
                    rows={suppressions}
                    columns={columns}
                    keyOf={({ id }) => id}
                    {...list.ordering}
                    {...(can('contact:delete') ? list.selecting : {})}
                  />
                  <Pager {...list.paging} total={total} />
                </>
              )}
            </>
          )
        }
      </Show>
    </Page>
  )
}

function DeleteMany({ selected, onSelect, onDone }: List['selecting'] & { onDone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const remove = async () => {
    const summary = await inBatches([...selected], async (part) => {
      const query = { ids: part.join(','), fields: 'id' }
      return (await ask('DELETE', '/api/suppressions/batch/delete', { query })).body
    })
    showBatch(words.deleted, summary)
    onSelect(new Set())
    onDone()
  }
  return (
    <Selection selected={selected} onSelect={onSelect}>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      {isAsking && (
        <Confirm
          title={text.remove.several(selected.size)}
          text={text.remove.text}
          action={words.delete}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </Selection>
  )
}
