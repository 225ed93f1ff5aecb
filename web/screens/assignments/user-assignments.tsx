import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Empty } from '../../design/feedback.tsx'
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

type Row = Body<'GET', '/api/multipleTransport/transportUser'>['transportUsers'][number]

/** Users and their transports: change one, or many at once. `mautic`: the id of the Mautic that has them; empty for Mailyard. */
export function UserAssignments({ mautic }: { mautic: string }) {
  const list = useList({ field: 'username', isDescending: false })
  const { isBusy, run } = useAction()
  const [changed, setChanged] = useState<Row>()
  const { selected, onSelect } = list.selecting
  const canAssign = can('multipleTransports:edit')
  const loaded = useData(
    async (signal) => {
      const query = { ...list.asked, transport: list.query['transport'], mautic }
      return (await ask('GET', '/api/multipleTransport/transportUser', { query, signal })).body
    },
    [list.key],
  )
  const assign = (transportId: number | null) =>
    run(async () => {
      const summary = await inBatches([...selected], async (ids) => {
        const body = ids.map((userId) => ({ userId, transportId }))
        return (
          await ask('POST', '/api/multipleTransport/transportUser/batch', {
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
      label: texts.user,
      field: 'username',
      show: ({ user: { id, username } }) => (
        <RecordName path="/access/users" mautic={mautic} id={id} name={username} />
      ),
    },
    { label: texts.transport, show: ({ transport }) => <TransportName transport={transport} /> },
    ...(canAssign ? [changeColumn(setChanged)] : []),
  ]
  return (
    <>
      <AssignmentFilters list={list} label={texts.search.users} />
      <Selection selected={selected} onSelect={onSelect}>
        <AssignSelected mautic={mautic} isBusy={isBusy} onAssign={(id) => void assign(id)} />
      </Selection>
      <Show loaded={loaded}>
        {({ transportUsers, total }) =>
          total === 0 ? (
            <Empty>{texts.noMatch}</Empty>
          ) : (
            <>
              <Table
                caption={texts.tabs.users}
                rows={transportUsers}
                columns={columns}
                keyOf={({ user }) => user.id}
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
          name={changed.user.username}
          transport={changed.transport}
          onSave={async ({ transportId }) => {
            const path = { userId: changed.user.id }
            const body = { transportId }
            await ask('POST', '/api/multipleTransport/transportUser/{userId}', {
              path,
              query: { mautic },
              body,
            })
            showToast(texts.saved(changed.user.username))
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
      <Button
        kind="plain"
        aria-label={texts.change(row.user.username)}
        onClick={() => onChange(row)}
      >
        {words.change}
      </Button>
    ),
  }
}
