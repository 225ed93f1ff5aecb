import type { Column } from '../../design/table.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { OutboxActions, outboxState, outboxTimes } from '../../records/outbox.tsx'
import { PartList } from '../../records/part-list.tsx'
import { mauticWords } from '../../words/mautics.ts'
import { outboxWords } from '../../words/outbox.ts'
import type { Mautic } from './record.tsx'

const text = mauticWords.reports

type Report = Schema<'MauticReport'>

const reportColumns: readonly Column<Report>[] = [
  {
    label: text.address,
    isName: true,
    show: ({ address, comments }) => (
      <>
        {address}
        <p class="quiet small clamp">{comments}</p>
      </>
    ),
  },
  outboxState,
  {
    label: text.reason,
    priority: 2,
    show: ({ reason }) => <span class="nowrap">{text.reasons[reason]}</span>,
  },
  ...outboxTimes,
]

/** What was reported to the Do not contact list of a Mautic, and what waits. */
export function Reports({ mautic: { id, isReporting } }: { mautic: Mautic }) {
  const mayChange = can('api:edit') || can('api:delete')
  const actions = (onDone: () => void): Column<Report> => ({
    label: outboxWords.actions,
    show: ({ id: reportId, state, address }) => {
      const options = { path: { id, reportId } }
      return (
        <OutboxActions
          state={state}
          texts={text.of(address)}
          retry={() => ask('POST', '/api/mautics/{id}/reports/{reportId}/retry', options)}
          remove={() => ask('DELETE', '/api/mautics/{id}/reports/{reportId}/delete', options)}
          onDone={onDone}
        />
      )
    },
  })
  return (
    <PartList
      texts={text}
      empty={isReporting ? text.empty : text.disabled}
      options={outboxWords.states}
      columns={(reload) => (mayChange ? [...reportColumns, actions(reload)] : reportColumns)}
      load={async ({ filter: state, ...page }, signal) => {
        const options = { path: { id }, query: { ...page, state }, signal }
        const { body } = await ask('GET', '/api/mautics/{id}/reports', options)
        return { rows: body.reports, total: body.total }
      }}
    />
  )
}
