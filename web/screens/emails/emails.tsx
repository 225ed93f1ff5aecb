import type { Column } from '../../design/table.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { inOrder } from '../../lib/in-order.ts'
import { can } from '../../lib/session.ts'
import { changedColumn, nameColumn, publishedColumn, timeColumn } from '../../records/columns.tsx'
import { changeRecords } from '../../records/delete-records.tsx'
import type { Outcome } from '../../records/delivery-filters.ts'
import { publishedFilter, ResourceListScreen } from '../../records/resource-list.tsx'
import { words } from '../../words/common.ts'
import { emailWords as text } from '../../words/emails.ts'
import { TransportOf } from './email-usage.tsx'

type Email = Extract<Body<'GET', '/api/emails'>['emails'], readonly unknown[]>[number]

const fields = 'id,name,subject,fromAddress,brand,isPublished,dateAdded,dateModified'

const columns: readonly Column<Email>[] = [
  nameColumn('/emails', text.labels.name, ({ subject }) => subject),
  timeColumn(words.lastSent, ({ usage }) => usage?.lastSent, { priority: 2, none: words.never }),
  {
    label: text.usage.recent,
    priority: 3,
    show: ({ usage }) => usage && <Shares outcomes={usage.outcomes} />,
  },
  {
    label: text.usage.transport,
    priority: 2,
    show: ({ usage }) => usage && <TransportOf usage={usage} />,
  },
  {
    label: text.from,
    field: 'fromAddress',
    priority: 4,
    show: ({ fromAddress }) => fromAddress ?? <span class="quiet">{text.defaultSender}</span>,
  },
  changedColumn,
  publishedColumn,
]

/** How many of the last deliveries were accepted, and the outcomes of the others. */
function Shares({ outcomes }: { outcomes: Readonly<Record<string, number>> }) {
  const counts = Object.entries(outcomes)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return <span class="quiet">{words.none}</span>
  const others = counts.filter(([outcome]) => outcome !== 'accepted')
  return (
    <>
      <span title={text.usage.about}>{text.usage.accepted(outcomes['accepted'] ?? 0, total)}</span>
      <p class="quiet small">
        {others.map(([outcome, count]) => text.usage.other(outcome as Outcome, count)).join(', ')}
      </p>
    </>
  )
}

/** All emails, and the deleted ones. */
export default function EmailsScreen() {
  return (
    <ResourceListScreen<Email>
      path="/emails"
      kind="emails"
      add={{ label: text.add, needs: 'email:create' }}
      list={{
        texts: text,
        columns: columns.filter(
          ({ label }) => label !== text.usage.transport || can('multipleTransports:view'),
        ),
        filters: [publishedFilter],
        async load({ state, ...asked }, signal) {
          const search = [asked.search, state && `is:${state}`].filter(Boolean).join(' ')
          const query = { ...asked, search, fields, with: 'usage' }
          const { emails, total } = (await ask('GET', '/api/emails', { query, signal })).body
          return { rows: inOrder(emails, asked), total }
        },
        actions: changeRecords('emails', { texts: text, text: text.deleteText }),
      }}
    />
  )
}
