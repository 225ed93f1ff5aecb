import type { Kysely } from 'kysely'
import Type, { type Static } from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { nullable } from '../../platform/http/index.ts'
import type { DeliveryRow, DeliveryTables } from '../delivery/index.ts'
import { deliveryEventTypes, describeEvents } from '../delivery/index.ts'

/** A provider may report a delay many times. */
const shownMax = 200

/** An event of a delivery, as the API shows it. */
export const deliveryEventItem = Type.Object(
  {
    id: Type.Integer(),
    type: Type.Enum([...deliveryEventTypes], { description: describeEvents() }),
    class: nullable(Type.Enum(['hard', 'soft']), {
      description:
        'For `bounced`: `hard` if the address cannot be delivered to, `soft` if the provider gave it up for now.',
    }),
    date: Type.String({ description: 'When it happened, as the provider says.' }),
    dateReceived: Type.String(),
    reason: nullable(Type.String(), {
      description:
        "The words of the recipient's server, else those of the provider; null without `contact:view` and `multipleTransports:view`.",
    }),
    provider: nullable(Type.String(), {
      description: '`mail` if it came by mail; null without `multipleTransports:view`.',
    }),
    source: Type.Enum(['webhook', 'mail']),
    isGuess: Type.Boolean({
      description:
        'Whether the provider did not name the message: then it is the last one to this recipient, and suppresses nothing.',
    }),
  },
  {
    title: 'DeliveryEvent',
    examples: [
      {
        id: 1,
        type: 'bounced',
        class: 'hard',
        date: '2026-01-31T15:54:39+00:00',
        dateReceived: '2026-01-31T15:54:41+00:00',
        reason: '550 5.1.1 no such user',
        provider: 'sendgrid',
        source: 'webhook',
        isGuess: false,
      },
    ],
  },
)
export type DeliveryEventItem = Static<typeof deliveryEventItem>

/** Lists the events of a delivery, the oldest first. */
export async function listEvents(
  db: Kysely<DeliveryTables>,
  { id, started_at: startedAt }: Pick<DeliveryRow, 'id' | 'started_at'>,
): Promise<DeliveryEventItem[]> {
  const rows = await db
    .selectFrom('delivery_events')
    .selectAll()
    .where('delivery_id', '=', id)
    .where('started_at', '=', startedAt)
    .orderBy('at')
    .orderBy('id')
    .limit(shownMax)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    class: row.class,
    date: formatDate(row.at),
    dateReceived: formatDate(row.received_at),
    reason: row.reason,
    provider: row.provider,
    source: row.source,
    isGuess: Boolean(row.is_guess),
  }))
}

/** Returns what the caller may see of an event. Its words name hosts, and repeat the address, like those of a reply. */
export function visibleEvent(item: DeliveryEventItem, caller: Caller): DeliveryEventItem {
  const seesTransports = caller.can('multipleTransports:view')
  const seesReasons = seesTransports && caller.can('contact:view')
  return {
    ...item,
    reason: seesReasons ? item.reason : null,
    provider: seesTransports ? item.provider : null,
  }
}
