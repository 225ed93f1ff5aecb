import { eventTypeNames } from '../../../src/core/published/event-types.ts'
import type { Column } from '../../design/table.tsx'
import { nameColumn, timeColumn } from '../../records/columns.tsx'
import { ResourceListScreen } from '../../records/resource-list.tsx'
import { listOf } from '../../records/stored.ts'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { webhookWords as text } from '../../words/webhooks.ts'
import { type Webhook, WebhookState } from './record.tsx'

const columns: readonly Column<Webhook>[] = [
  nameColumn('/webhooks', text.labels.name, ({ url }) => url),
  {
    label: words.state,
    kind: 'state',
    show: (webhook) => (
      <>
        <WebhookState webhook={webhook} />
        {webhook.problem !== null && <p class="small">{webhook.problem}</p>}
      </>
    ),
  },
  {
    label: text.labels.format,
    priority: 3,
    show: ({ format }) => text.formats[format].short,
  },
  {
    label: text.chosen,
    priority: 4,
    show: ({ events }) => text.chosenCount(events.length, eventTypeNames.length),
  },
  timeColumn(text.lastSuccess, ({ lastSuccessAt }) => lastSuccessAt, {
    priority: 2,
    none: words.noneYet,
  }),
  {
    label: text.waiting,
    kind: 'number',
    priority: 2,
    show: ({ waiting }) => formatNumber(waiting),
  },
]

export default function WebhooksScreen() {
  return (
    <ResourceListScreen
      path="/webhooks"
      add={{ label: text.add, needs: 'api:create' }}
      list={{
        texts: text,
        columns,
        refreshMs: 10_000,
        load: listOf('webhook'),
      }}
    />
  )
}
