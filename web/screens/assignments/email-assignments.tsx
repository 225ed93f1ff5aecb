import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Empty } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { Show } from '../../design/page.tsx'
import { Selection } from '../../design/selection.tsx'
import { showBatch } from '../../design/show-batch.ts'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { RecordName } from '../../records/record-name.tsx'
import { words } from '../../words/common.ts'
import { assignmentWords } from '../../words/routing.ts'
import { AssignDialog, AssignmentFilters, AssignSelected, TransportName } from './parts.tsx'

const texts = assignmentWords

type Row = Body<'GET', '/api/multipleTransport/transportEmail'>['transportEmails'][number]

/** Emails and their transports: change one, or many at once. `mautic`: the id of the Mautic that has them; empty for Mailyard. */
export function EmailAssignments({ mautic }: { mautic: string }) {
  const list = useList({ field: 'name', isDescending: false })
  const { isBusy, run } = useAction()
  const [changed, setChanged] = useState<Row>()
  const [owners, setOwners] = useState('')
  const { selected, onSelect } = list.selecting
  const canAssign = can('multipleTransports:edit')
  const loaded = useData(
    async (signal) => {
      const query = { ...list.asked, transport: list.query['transport'], mautic }
      return (await ask('GET', '/api/multipleTransport/transportEmail', { query, signal })).body
    },
    [list.key],
  )
  const assign = (transportId: number | null) =>
    run(async () => {
      const owner = owners === '' ? {} : { useOwnerTransport: owners === 'first' }
      const summary = await inBatches([...selected], async (ids) => {
        const body = ids.map((emailId) => ({ emailId, transportId, ...owner }))
        return (
          await ask('POST', '/api/multipleTransport/transportEmail/batch', {
            query: { mautic },
            body,
          })
        ).body
      })
      showBatch(texts.done, summary)
      onSelect(new Set())
      loaded.reload()
    })
  const columns: readonly Column<Row>[] = [
    {
      label: texts.email,
      field: 'name',
      show: ({ email }) => <RecordName path="/emails" mautic={mautic} {...email} />,
    },
    { label: texts.transport, show: ({ transport }) => <TransportName transport={transport} /> },
    {
      label: texts.owner,
      show: ({ useOwnerTransport }) => (useOwnerTransport ? texts.yes : texts.no),
    },
    ...(canAssign ? [changeColumn(setChanged)] : []),
  ]
  return (
    <>
      <AssignmentFilters list={list} label={texts.search.emails} />
      <Selection selected={selected} onSelect={onSelect}>
        <AssignSelected mautic={mautic} isBusy={isBusy} onAssign={(id) => void assign(id)}>
          <SelectField
            label={texts.owner}
            value={owners}
            onValue={setOwners}
            options={[
              { value: '', label: texts.ownerKeep },
              { value: 'first', label: texts.ownerOn },
              { value: 'not', label: texts.ownerOff },
            ]}
          />
        </AssignSelected>
      </Selection>
      <Show loaded={loaded}>
        {({ transportEmails, total }) =>
          total === 0 ? (
            <Empty>{texts.noMatch}</Empty>
          ) : (
            <>
              <Table
                caption={texts.tabs.emails}
                rows={transportEmails}
                columns={columns}
                keyOf={({ email }) => email.id}
                {...list.ordering}
                {...(canAssign ? list.selecting : {})}
              />
              <Pager {...list.paging} total={total} />
            </>
          )
        }
      </Show>
      {changed !== undefined && (
        <AssignDialog
          mautic={mautic}
          name={changed.email.name}
          transport={changed.transport}
          useOwnerTransport={changed.useOwnerTransport}
          onSave={async (body) => {
            const path = { emailId: changed.email.id }
            await ask('POST', '/api/multipleTransport/transportEmail/{emailId}', {
              path,
              query: { mautic },
              body,
            })
            showToast(texts.saved(changed.email.name))
            loaded.reload()
          }}
          onClose={() => setChanged(undefined)}
        />
      )}
    </>
  )
}

function changeColumn(onChange: (row: Row) => void): Column<Row> {
  return {
    label: texts.actions,
    show: (row) => (
      <Button kind="plain" aria-label={texts.change(row.email.name)} onClick={() => onChange(row)}>
        {words.change}
      </Button>
    ),
  }
}
