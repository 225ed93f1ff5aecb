import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Badge, Empty, HelpLink } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { Selection } from '../../design/selection.tsx'
import { showBatch } from '../../design/show-batch.ts'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import type { Tone } from '../../lib/toasts.ts'
import { useData } from '../../lib/use-data.ts'
import { type List, useList } from '../../lib/use-list.ts'
import { foundByOf, readFilters } from '../../records/suppression-filters.ts'
import { useTransportNames } from '../../records/use-transport-names.ts'
import { words } from '../../words/common.ts'
import { suppressionWords as text } from '../../words/suppressions.ts'
import { AddSuppression } from './add-suppression.tsx'
import { Evidence } from './evidence.tsx'
import { FilterBar } from './filter-bar.tsx'
import { ImportSuppressions } from './import-suppressions.tsx'
import { UndoBounces } from './undo-bounces.tsx'

type Suppression = Schema<'Suppression'>

const tones: Record<Suppression['reason'], Tone> = {
  unsubscribed: 'neutral',
  bounced: 'warn',
  complained: 'bad',
  manual: 'accent',
}

const columnsOf = (nameOf: (transportId: number) => string): readonly Column<Suppression>[] => [
  {
    label: text.address,
    field: 'address',
    show: ({ address }) => <div class="narrow-address">{address}</div>,
  },
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
  {
    label: text.source,
    show: (suppression) => <Evidence suppression={suppression} nameOf={nameOf} />,
  },
  {
    label: text.since,
    field: 'dateAdded',
    show: ({ dateAdded, createdBy }) => (
      <div class="name">
        <Time iso={dateAdded} />
        {createdBy !== null && <p class="quiet small">{text.by(createdBy)}</p>}
      </div>
    ),
  },
]

/** The addresses that get no emails, and why. */
export function SuppressionsScreen() {
  const list = useList({ field: 'dateAdded', isDescending: true })
  const [open, setOpen] = useState<'add' | 'import' | 'undo'>()
  const filters = readFilters(list.query)
  const loaded = useData(
    async (signal) => {
      const query = { ...list.asked, ...filters }
      return (await ask('GET', '/api/suppressions', { query, signal })).body
    },
    [list.key],
  )
  const nameOf = useTransportNames([
    ...(loaded.data?.suppressions.flatMap(({ transportId }) => transportId ?? []) ?? []),
    ...(filters.transportId === undefined ? [] : [Number(filters.transportId)]),
  ])
  const foundBy = foundByOf(filters, nameOf)
  const isFiltered = list.asked.search !== '' || Object.keys(filters).length > 0
  const close = () => setOpen(undefined)
  const canAdd = can('contact:create')
  const canDelete = can('contact:delete')
  return (
    <Page
      title={text.title}
      actions={
        <>
          {canDelete && foundBy.length > 0 && (
            <Button kind="danger" onClick={() => setOpen('undo')}>
              {text.undo.action}
            </Button>
          )}
          <a
            class="button"
            href={withQuery('/api/suppressions.csv', { search: list.asked.search, ...filters })}
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
      {open === 'undo' && (
        <UndoBounces filters={filters} foundBy={foundBy} onDone={loaded.reload} onClose={close} />
      )}
      <Show loaded={loaded}>
        {({ suppressions, total }) =>
          total === 0 && !isFiltered ? (
            <Empty>
              <p>{text.empty}</p>
              <HelpLink page="jane-did-not-get-her-mail">{text.task}</HelpLink>
            </Empty>
          ) : (
            <>
              <FilterBar list={list} filters={filters} nameOf={nameOf} />
              {canDelete && <DeleteMany {...list.selecting} onDone={loaded.reload} />}
              {total === 0 ? (
                <Empty>{text.noMatch}</Empty>
              ) : (
                <>
                  <Table
                    caption={text.title}
                    rows={suppressions}
                    columns={columnsOf(nameOf)}
                    keyOf={({ id }) => id}
                    {...list.ordering}
                    {...(canDelete ? list.selecting : {})}
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
