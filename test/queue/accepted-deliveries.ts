import type {
  DeliveryEventRow,
  DeliveryRow,
  DeliveryTables,
} from '../../src/core/delivery/table.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { emailKey } from '../../src/kit/normalize-for-search.ts'
import { ReceivedEvents } from '../../src/modules/events/events/received-events.ts'
import { uniqueName } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import type { TestApp } from '../test-app.ts'

/** Accepted deliveries to put into the log, without sending them. */
export interface AcceptedDeliveries extends Partial<DeliveryRow> {
  transport_id: number
  sender: string
  started_at: number
  count: number
  /** What the newest of them got, one event each. */
  events?: readonly TestEvents[]
}

type TestEvents = Pick<DeliveryEventRow, 'type'> &
  Partial<Pick<DeliveryEventRow, 'class' | 'is_guess' | 'source'>> & { count: number }

/** One of some deliveries, that stands for those of them that have events. */
type Sample = Pick<
  DeliveryRow,
  | 'sender'
  | 'mautic_id'
  | 'brand_id'
  | 'is_bulk'
  | 'transport_id'
  | 'recipient'
  | 'provider_id'
  | 'started_at'
>

/** Logs accepted deliveries with events of their provider. */
export async function addAccepted(
  service: TestApp,
  { count, events = [], ...columns }: AcceptedDeliveries,
): Promise<Sample[]> {
  const withEvents = events.flatMap(({ count: times, ...event }) =>
    Array.from({ length: times }, () => event),
  )
  const recipient = `${uniqueName('accepted')}@rcpt.test`
  const ids = { recipient, recipient_key: emailKey(recipient), provider_id: uniqueName('id') }
  const row = { outcome: 'accepted' as const, ...ids, ...columns }
  await logDeliveries(service, [
    ...Array.from({ length: count - withEvents.length }, () => row),
    ...withEvents.map(({ type }) => ({ ...row, event: type })),
  ])
  const db = service.app.storage.tables<DeliveryTables>()
  const newest = await db
    .selectFrom('deliveries')
    .select('id')
    // Others may be added at the same time.
    .where('provider_id', '=', ids.provider_id)
    .orderBy('id', 'desc')
    .limit(withEvents.length)
    .execute()
  const { started_at, transport_id } = columns
  const times = { started_at, at: started_at, received_at: started_at }
  const origin = { transport_id, provider: 'test', reason: null } as const
  const rows = withEvents.map(({ type, class: severity = null, ...event }, index) => ({
    delivery_id: newest[index]?.id ?? 0,
    ...times,
    ...origin,
    type,
    class: severity,
    is_guess: event.is_guess ?? false,
    source: event.source ?? 'webhook',
    is_first: true,
    event_key: type,
  }))
  if (rows.length > 0) await db.insertInto('delivery_events').values(rows).execute()
  const { sender, mautic_id = 0, brand_id = 0, is_bulk = false } = columns
  return [{ sender, mautic_id, brand_id, is_bulk, transport_id, started_at, ...ids }]
}

/** Receives one more bounce of a delivery that has one: no count changes, and its brake is looked at. */
export async function bounceAgain(
  { app: { storage } }: TestApp,
  samples: readonly Sample[],
): Promise<void> {
  const events = new ReceivedEvents(storage, systemClock)
  const bounced = { type: 'bounced', class: 'soft', reason: null } as const
  for (const { transport_id: transportId, provider_id, started_at: at, recipient } of samples) {
    const ids = { recipient, providerId: provider_id, otherIds: [], eventId: null }
    const received = { transportId, provider: 'test', receivedAt: at }
    await events.add(undefined, { ...received, events: [{ ...bounced, ...ids, at }] })
  }
  events.notify()
}
