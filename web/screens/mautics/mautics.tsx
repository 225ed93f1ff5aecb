import { HelpLink } from '../../design/feedback.tsx'
import type { Column } from '../../design/table.tsx'
import { nameColumn, timeColumn } from '../../records/columns.tsx'
import { MauticState, WebhookBadge } from '../../records/mautic-state.tsx'
import { ResourceListScreen } from '../../records/resource-list.tsx'
import { listOf } from '../../records/stored.ts'
import { TransportLink } from '../../records/transports.tsx'
import { words } from '../../words/common.ts'
import { mauticWords as text } from '../../words/mautics.ts'
import type { Mautic } from './record.tsx'

const columns: readonly Column<Mautic>[] = [
  nameColumn('/mautics', text.labels.name, ({ url }) => url),
  {
    label: words.state,
    kind: 'state',
    show: (mautic) => (
      <>
        <MauticState mautic={mautic} />
        {mautic.status?.problem && <p class="small">{mautic.status.problem}</p>}
      </>
    ),
  },
  {
    label: text.webhook.title,
    kind: 'state',
    priority: 2,
    show: (mautic) => <WebhookBadge mautic={mautic} />,
  },
  {
    label: text.labels.transport,
    priority: 2,
    show: ({ status }) =>
      status?.transport ? (
        <TransportLink {...status.transport} />
      ) : (
        <span class="quiet">{text.ofMailyard}</span>
      ),
  },
  timeColumn(text.lastMessage, ({ status }) => status?.dateLastMessage, {
    priority: 3,
    none: words.noneYet,
  }),
  {
    label: text.known,
    kind: 'number',
    priority: 4,
    show: ({ status }) => status && text.counts(status.emails, status.users),
  },
]

/** The connected Mautics, and whether they can be read. */
export default function MauticsScreen() {
  return (
    <ResourceListScreen
      path="/mautics"
      // Administrators of a connected Mautic may do everything.
      add={{ label: text.add, needs: '*' }}
      help={<HelpLink page="connect-a-mautic" />}
      list={{
        texts: text,
        columns,
        refreshMs: 10_000,
        load: listOf('mautic', { with: 'status' }),
      }}
    />
  )
}
