import { ask, type Schema } from '../../lib/api.ts'
import { OutboxList } from '../../records/outbox.tsx'
import type { Mautic } from './record.tsx'

const text = {
  title: 'Reports to this Mautic',
  help: 'Addresses that bounced or unsubscribed, for its Do not contact list, and contacts to tag. Deleting a report changes nothing in Mautic.',
  empty: 'Nothing was reported yet.',
  disabled: 'Reports are disabled for this Mautic.',
  noMatch: 'No report is in this state.',
  address: 'Address',
  reason: 'Reason',
  of: (address: string) => `the report of ${address}`,
  reasons: {
    unsubscribed: 'Unsubscribed',
    bounced: 'Bounced',
    manual: 'Added by a person',
    refused: 'Refused, for the tag',
  },
}

type Report = Schema<'MauticReport'>

/** What was reported to the Do not contact list of a Mautic, and what waits. */
export function Reports({ mautic: { id, isReporting } }: { mautic: Mautic }) {
  const pathOf = (report: Report) => ({ path: { id, reportId: report.id } })
  return (
    <OutboxList<Report>
      texts={{ ...text, empty: isReporting ? text.empty : text.disabled }}
      name={{
        label: text.address,
        kind: 'name',
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
      nameOf={({ address }) => text.of(address)}
      retry={(each) => ask('POST', '/api/mautics/{id}/reports/{reportId}/retry', pathOf(each))}
      remove={(each) => ask('DELETE', '/api/mautics/{id}/reports/{reportId}/delete', pathOf(each))}
    />
  )
}
