import { useState } from 'preact/hooks'
import { deliveryOutcomes } from '../../../src/delivery/outcomes.ts'
import { Button } from '../../design/button.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Badge, Empty, Notice, Skeleton } from '../../design/feedback.tsx'
import { Selection } from '../../design/selection.tsx'
import { Sparkline } from '../../design/sparkline.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { showToast, type Tone } from '../../lib/toasts.ts'
import type { Order } from '../../lib/use-list.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { formatNumber } from '../../words/format.ts'

interface Row {
  id: number
  name: string
  messages: number
}

const rows: readonly Row[] = [
  { id: 1, name: 'Brand A', messages: 12_804 },
  { id: 2, name: 'Brand B', messages: 311 },
  {
    id: 3,
    name: 'Receipts of every shop of the brand, of its partners and of their customers',
    messages: 0,
  },
]

const columns: readonly Column<Row>[] = [
  { label: 'Name', isName: true, field: 'name', show: ({ name }) => <a href="/design">{name}</a> },
  {
    label: 'State',
    show: ({ messages }) => (
      <Badge tone={messages > 0 ? 'good' : 'neutral'}>
        {messages > 0 ? 'Published' : 'Unpublished'}
      </Badge>
    ),
  },
  {
    label: 'Last 24 hours',
    priority: 3,
    show: () => (
      <Sparkline
        counts={[2, 5, 9, 14, 8, 0, 3]}
        faults={[0, 0, 1, 4, 0, 0, 0]}
        label="41 deliveries, 5 refused"
      />
    ),
  },
  { label: 'Server', priority: 4, show: () => <code>smtp.example.com:587</code> },
  {
    label: 'Messages',
    priority: 2,
    isNumber: true,
    show: ({ messages }) => formatNumber(messages),
  },
]

/** A list as the screens show it, and views of one thing. */
export function Tables() {
  const [selected, select] = useState<ReadonlySet<number>>(new Set([1]))
  const [order, setOrder] = useState<Order>({ field: 'name', isDescending: false })
  const [start, setStart] = useState(0)
  const [shown, setShown] = useState<'facts' | 'nothing'>('facts')
  return (
    <>
      <Selection selected={selected} onSelect={select}>
        <Button>Unpublish</Button>
      </Selection>
      <Table
        caption="Samples"
        rows={rows}
        columns={columns}
        keyOf={({ id }) => id}
        order={order}
        onOrder={setOrder}
        selected={selected}
        onSelect={select}
      />
      <Pager start={start} limit={3} total={9} onStart={setStart} />
      <Tabs
        label="Views"
        tabs={{ facts: 'Facts', nothing: 'Nothing' }}
        shown={shown}
        onShow={setShown}
      >
        {shown === 'facts' ? (
          <Facts
            facts={[
              ['Server', <code key="server">smtp.example.com:587</code>],
              ['Description', ''],
            ]}
          />
        ) : (
          <Empty>
            <p>No transport yet. A transport is a mail server that messages are sent through.</p>
            <Button kind="primary">Add a transport</Button>
          </Empty>
        )}
      </Tabs>
    </>
  )
}

const tones: readonly Tone[] = ['neutral', 'accent', 'good', 'warn', 'bad']

/** What a screen says of a record, of itself, and while it loads. */
export function States() {
  return (
    <>
      <div class="row">
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
        {deliveryOutcomes.map((outcome) => (
          <OutcomeBadge key={outcome} outcome={outcome} />
        ))}
      </div>
      {tones
        .filter((tone) => tone !== 'accent')
        .map((tone) => (
          <Notice key={tone} tone={tone}>
            {tone}: what happened, and what to do next.
          </Notice>
        ))}
      <Empty>
        <p>Nothing matches.</p>
      </Empty>
      <Skeleton />
    </>
  )
}

/** What stands above the page. */
export function Overlays() {
  const [isAsking, setAsking] = useState(false)
  const [count, setCount] = useState(50)
  const remove = async () => {
    setCount(0)
    showToast('50 messages are cancelled.', 'good', async () => setCount(50))
  }
  return (
    <div class="row">
      <span>{formatNumber(count)} messages</span>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Cancel them …
      </Button>
      <Button onClick={() => showToast('2 of 50 failed.', 'bad')}>Toast of a fault</Button>
      {isAsking && (
        <Confirm
          title="Cancel 50 messages?"
          text="They are not sent."
          action="Cancel 50 messages"
          keep="Keep them"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
