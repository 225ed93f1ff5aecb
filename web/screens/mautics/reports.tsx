import { ask, type Schema } from '../../lib/api.ts'
import { OutboxList } from '../../records/outbox.tsx'
import { mauticWords } from '../../words/mautics.ts'
import type { Mautic } from './record.tsx'

const text = mauticWords.reports

type Report = Schema<'MauticReport'>

/** What was reported to the Do not contact list of a Mautic, and what waits. */
export function Reports({ mautic: { id, isReporting } }: { mautic: Mautic }) {
  const pathOf = (report: Report) => ({ path: { id, reportId: report.id } })
  return (
    <OutboxList<Report>
      texts={text}
      empty={isReporting ? text.empty : text.disabled}
      name={{
        label: text.address,
        isName: true,
        show: ({ address, comments }) => (
          <>
            {address}
            <p class="quiet small clamp">{comments}</p>
          </>
        ),
      }}
      facts={[
        {
          label: text.reason,
          priority: 2,
          show: ({ reason }) => <span class="nowrap">{text.reasons[reason]}</span>,
        },
      ]}
      load={async (query, signal) => {
        const options = { path: { id }, query, signal }
        const { body } = await ask('GET', '/api/mautics/{id}/reports', options)
        return { rows: body.reports, total: body.total }
      }}
      textsOf={({ address }) => text.of(address)}
      retry={(each) => ask('POST', '/api/mautics/{id}/reports/{reportId}/retry', pathOf(each))}
      remove={(each) => ask('DELETE', '/api/mautics/{id}/reports/{reportId}/delete', pathOf(each))}
    />
  )
}
