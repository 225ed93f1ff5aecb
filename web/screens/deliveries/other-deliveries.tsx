import { Show } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import type { Delivery } from '../../records/use-deliveries.ts'
import { words } from '../../words/common.ts'
import { deliveryWords } from '../../words/deliveries.ts'

const { labels, one } = deliveryWords
const limit = 11

const columns: readonly Column<Delivery>[] = [
  {
    label: labels.time,
    show: ({ id, date }) => (
      <a href={`/deliveries/${id}`}>
        <Time iso={date} />
      </a>
    ),
  },
  { label: labels.outcome, show: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  { label: labels.sender, show: ({ sender }) => sender },
  { label: labels.transport, show: ({ transport }) => transport ?? words.none },
  {
    label: labels.reply,
    show: ({ reply, reason }) => <span class="small clamp">{reason ?? reply ?? words.none}</span>,
  },
]

/** The latest other messages to the same address. */
export function OtherDeliveries({
  delivery: { id, recipient, messageId },
}: {
  delivery: Delivery
}) {
  const loaded = useData(
    async (signal) => {
      const query = { recipient, limit }
      const { deliveries } = (await ask('GET', '/api/deliveries', { query, signal })).body
      return deliveries.filter(
        (other) => other.id !== id && (messageId === null || other.messageId !== messageId),
      )
    },
    [id],
  )
  return (
    <Show loaded={loaded}>
      {(others) =>
        others.length > 0 && (
          <section class="stack" aria-labelledby="others">
            <div class="spread">
              <h2 id="others">{one.others(recipient)}</h2>
              <a href={deliveriesHref({ recipient })}>{one.allOthers}</a>
            </div>
            <Table
              caption={one.others(recipient)}
              rows={others}
              columns={columns}
              keyOf={(other) => other.id}
            />
          </section>
        )
      }
    </Show>
  )
}
