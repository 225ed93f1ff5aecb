import { HelpLink } from '../../design/feedback.tsx'
import type { Column } from '../../design/table.tsx'
import { nameColumn, publishedColumn } from '../../records/columns.tsx'
import { ResourceListScreen } from '../../records/resource-list.tsx'
import { listOf } from '../../records/stored.ts'
import { UsageBars } from '../../records/usage-bars.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { limitWords as text } from '../../words/limits.ts'
import type { Limit } from './draft.ts'

const columns: readonly Column<Limit>[] = [
  nameColumn('/limits', text.labels.name, ({ description }) => description),
  {
    label: text.used,
    kind: 'sentence',
    show: ({ usage }) => (usage === undefined ? words.none : <UsageBars usage={usage} isShort />),
  },
  {
    label: text.labels.transports,
    kind: 'number',
    priority: 4,
    show: ({ transports }) => formatNumber(transports.length),
  },
  {
    label: text.labels.overflow,
    field: 'overflow',
    kind: 'state',
    priority: 3,
    show: ({ overflow }) => text.overflows[overflow],
  },
  publishedColumn,
]

export default function LimitsScreen() {
  return (
    <ResourceListScreen
      path="/limits"
      add={{ label: text.add, needs: 'multipleTransports:create' }}
      help={<HelpLink page="warm-up" />}
      list={{
        texts: text,
        columns,
        refreshMs: 10_000,
        load: listOf('limit', { with: 'usage' }),
      }}
    />
  )
}
