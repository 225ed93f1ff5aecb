import type { Transaction } from 'kysely'
import { brandData, type EventSink, type PublishedEvent } from '../../published/index.ts'
import { outcomes } from '../outcomes.ts'
import { notifier } from '../submission/submission.ts'
import { type DeliveryRow, type DeliveryTables, isTransport } from '../table.ts'
import type { DeliveryReference } from './delivery-keys.ts'

type OutcomeReference = DeliveryReference & Pick<DeliveryRow, 'outcome'>

const columns = [
  'id',
  'source',
  'caller',
  'sender',
  'recipient',
  'transport_id',
  'transport',
  'brand_id',
  'mautic_id',
  'email_id',
  'contact_id',
  'outcome',
  'reply',
  'reason',
  'message_id',
  'provider_id',
] as const

/** What an event of a delivery says of it. */
export type DescribedDelivery = Pick<DeliveryRow, (typeof columns)[number]>

/** Publishes the outcomes of deliveries to webhooks. */
export class OutcomeEvents {
  readonly #sink: EventSink | undefined

  /** `sink`: undefined where nothing is published. */
  constructor(sink: EventSink | undefined) {
    this.#sink = sink
  }

  /** Publishes outcomes in the transaction that writes them. One that no webhook asks for costs nothing. */
  async publish(
    tx: Transaction<DeliveryTables>,
    references: readonly OutcomeReference[],
  ): Promise<void> {
    const wanted = references.filter(({ outcome }) => this.wants(outcome))
    if (wanted.length === 0) return
    const times = wanted.map(({ started_at: startedAt }) => startedAt)
    const rows = await tx
      .selectFrom('deliveries')
      .select(columns)
      .where(
        'id',
        'in',
        wanted.map(({ id }) => id),
      )
      .where('started_at', '>=', Math.min(...times))
      .where('started_at', '<=', Math.max(...times))
      .orderBy('id')
      .execute()
    await this.#sink?.publish(tx, rows.flatMap(toEvents))
  }

  /** Adds deliveries without an attempt, and publishes their outcomes in the same transaction. */
  async insert(
    tx: Transaction<DeliveryTables>,
    rows: readonly Omit<DeliveryRow, 'id'>[],
  ): Promise<void> {
    const insert = tx.insertInto('deliveries').values(rows)
    if (!rows.some(({ outcome }) => this.wants(outcome))) await insert.execute()
    else await this.publish(tx, await insert.returning(['id', 'started_at', 'outcome']).execute())
  }

  /** Whether an outcome is published. */
  wants(outcome: DeliveryRow['outcome']): boolean {
    const { event } = outcomes[outcome]
    return event !== undefined && this.#sink?.wants(event) === true
  }

  /** Call it after the commit of these outcomes. */
  notify(changed: readonly DeliveryRow['outcome'][]): void {
    if (changed.some((outcome) => this.wants(outcome))) this.#sink?.notify()
  }
}

function toEvents(row: DescribedDelivery): PublishedEvent[] {
  const { event: type } = outcomes[row.outcome]
  if (type === undefined || isOwnNotice(row)) return []
  const cause = isTransport(row.transport_id) ? `transport ${row.transport_id}` : 'default'
  return [{ type, data: deliveryEventData(row), cause }]
}

/** Whether a delivery is of a notification of Mailyard itself. It is not published. */
export function isOwnNotice(row: Pick<DeliveryRow, 'caller' | 'email_id' | 'source'>): boolean {
  return row.caller === notifier.name && row.email_id === null && row.source === 'smtp'
}

/** Describes a delivery as events have it; see `eventTypes`. */
export function deliveryEventData(row: Omit<DescribedDelivery, 'caller'>) {
  return {
    ...brandData(row.brand_id),
    deliveryId: row.id,
    recipient: row.recipient,
    sender: row.sender,
    source: row.source,
    transportId: isTransport(row.transport_id) ? row.transport_id : null,
    transport: row.transport,
    emailId: row.email_id,
    contactId: row.contact_id,
    mautic: row.mautic_id === 0 ? null : row.mautic_id,
    outcome: row.outcome,
    reply: row.reply,
    reason: row.reason,
    messageId: row.message_id,
    providerId: row.provider_id,
  }
}
