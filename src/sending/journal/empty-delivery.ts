import type { DeliveryRow } from '../table.ts'

/** A delivery of which nothing is known yet but who began it, and when. */
export function emptyDelivery(begun: {
  source: DeliveryRow['source']
  caller: string
  startedAt: number
  processId: string
}): Omit<DeliveryRow, 'id'> {
  return {
    started_at: begun.startedAt,
    duration_ms: null,
    source: begun.source,
    caller: begun.caller,
    email_id: null,
    contact_id: null,
    sending_id: null,
    sender: '',
    recipient: '',
    recipient_key: '',
    transport_id: null,
    transport: null,
    member: null,
    outcome: 'started',
    is_permanent: null,
    reply: null,
    reason: null,
    message_id: null,
    provider_id: null,
    message_key: null,
    bulk_key: null,
    request_hash: null,
    process_id: begun.processId,
    trace: '[]',
  }
}
