import Type, { type Static } from 'typebox'
import { nullable } from '../../http/index.ts'
import { formatDate } from '../../kit/iso-date.ts'
import type { DeliveryRow } from '../table.ts'
import type { WayStep } from '../way/way.ts'

const stepExample = {
  source: 'email',
  transport: { id: 2, name: 'Try-out' },
  outcome: 'taken',
  reason: 'The transport of the email.',
}

/** One step of a way, as the API shows it. */
export const wayStep = Type.Object(
  {
    source: Type.Enum(['named', 'owner', 'email', 'default']),
    transport: Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()]),
    outcome: Type.Enum(['taken', 'skipped']),
    reason: Type.String(),
  },
  { title: 'WayStep', examples: [stepExample] },
)

const deliveryExample = {
  id: 1,
  date: '2026-01-31T15:54:35+00:00',
  durationMs: 120,
  source: 'api',
  caller: 'admin',
  emailId: 1,
  contactId: 1,
  sendingId: null,
  sender: 'mailyard@localhost',
  recipient: 'carla@example.net',
  transportId: 2,
  transport: 'Try-out',
  member: 'smtp://smtp.example.com:587',
  outcome: 'accepted',
  isPermanent: null,
  reply: '250 2.0.0 Ok: queued as 4Xz1',
  reason: null,
  messageId: '<9c1b7f@example.com>',
  providerId: null,
  trace: [stepExample],
}

/** What the API shows of a delivery. */
export const deliveryItem = Type.Object(
  {
    id: Type.Integer(),
    date: Type.String(),
    durationMs: nullable<number>('integer'),
    source: Type.Enum(['api', 'job', 'smtp']),
    caller: Type.String(),
    emailId: nullable<number>('integer'),
    contactId: nullable<number>('integer'),
    sendingId: nullable<number>('integer'),
    sender: Type.String(),
    recipient: Type.String(),
    transportId: nullable<number>('integer'),
    transport: nullable<string>('string'),
    member: nullable<string>('string'),
    outcome: Type.Enum(['started', 'accepted', 'refused', 'uncertain']),
    isPermanent: nullable<boolean>('boolean'),
    reply: nullable<string>('string'),
    reason: nullable<string>('string'),
    messageId: nullable<string>('string'),
    providerId: nullable<string>('string'),
    trace: Type.Array(wayStep),
  },
  { title: 'Delivery', examples: [deliveryExample] },
)
export type DeliveryItem = Static<typeof deliveryItem>

export function presentDelivery(row: DeliveryRow): DeliveryItem {
  return {
    id: row.id,
    date: formatDate(row.started_at),
    durationMs: row.duration_ms,
    source: row.source,
    caller: row.caller,
    emailId: row.email_id,
    contactId: row.contact_id,
    sendingId: row.sending_id,
    sender: row.sender,
    recipient: row.recipient,
    transportId: row.transport_id,
    transport: row.transport,
    member: row.member,
    outcome: row.outcome,
    isPermanent: row.is_permanent === null ? null : Boolean(row.is_permanent),
    reply: row.reply,
    reason: row.reason,
    messageId: row.message_id,
    providerId: row.provider_id,
    trace: JSON.parse(row.trace) as WayStep[],
  }
}
