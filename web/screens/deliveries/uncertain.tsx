import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { Selection } from '../../design/selection.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { can } from '../../lib/session.ts'
import type { Delivery } from '../../records/use-deliveries.ts'
import { words } from '../../words/common.ts'
import { deliveryWords } from '../../words/deliveries.ts'
import { formatExactTime } from '../../words/format.ts'
import { Decide, type Decision, DecisionMeanings } from './decide.tsx'
import { Recipient } from './recipient.tsx'

const texts = deliveryWords.uncertain
const { labels } = deliveryWords

/** What to look for in the log of the server: the Message-ID, which logs show without brackets too. */
export function searchText({ messageId, recipient }: Delivery): string {
  return messageId === null ? recipient : messageId.replace(/^<|>$/g, '')
}

const columnsOf = (origin: readonly Column<Delivery>[]): readonly Column<Delivery>[] => [
  { label: labels.recipient, show: (delivery) => <Recipient delivery={delivery} /> },
  ...origin,
  {
    label: labels.member,
    show: ({ member, transport }) => (
      <>
        <span class="mono">{member ?? words.none}</span>
        <p class="quiet small">{transport}</p>
      </>
    ),
  },
  {
    label: labels.time,
    show: ({ date }) => <time dateTime={date}>{formatExactTime(date)}</time>,
  },
  {
    label: texts.lookFor,
    show: (delivery) => <CopyText text={searchText(delivery)} />,
  },
  { label: labels.reason, show: ({ reason }) => <span class="small clamp">{reason}</span> },
]

/** The deliveries whose outcome a person has to decide, one or many at once. */
export function UncertainDeliveries({
  deliveries,
  origin,
  onDecided,
}: {
  deliveries: readonly Delivery[]
  /** The columns for what the messages came from. */
  origin: readonly Column<Delivery>[]
  onDecided: () => void
}) {
  const [selected, onSelect] = useState<ReadonlySet<number>>(new Set())
  const [decision, setDecision] = useState<Decision>()
  const mayDecide = can('email:send')
  const selecting = { selected, onSelect }
  return (
    <>
      <section class="card" aria-label={texts.title}>
        <p>{texts.explanation}</p>
        <DecisionMeanings />
        {!mayDecide && <p class="quiet small">{texts.mayNot}</p>}
      </section>
      <Selection {...selecting}>
        <Button onClick={() => setDecision('accepted')}>{texts.accepted.action}</Button>
        <Button onClick={() => setDecision('deferred')}>{texts.deferred.action}</Button>
      </Selection>
      <Table
        caption={texts.title}
        rows={deliveries}
        columns={columnsOf(origin)}
        keyOf={({ id }) => id}
        {...(mayDecide ? selecting : {})}
      />
      {decision !== undefined && (
        <Decide
          ids={[...selected]}
          decision={decision}
          onDecided={() => {
            onSelect(new Set())
            onDecided()
          }}
          onClose={() => setDecision(undefined)}
        />
      )}
    </>
  )
}
