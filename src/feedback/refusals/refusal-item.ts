import Type, { type Static } from 'typebox'
import type { DeliveryRow } from '../../delivery/index.ts'
import {
  describeOutcomes,
  presentDelivery,
  refusalOutcomes,
  visibleDelivery,
} from '../../delivery/index.ts'
import { nullable } from '../../http/index.ts'
import type { Caller } from '../../kit/caller.ts'

const text = nullable(Type.String())

/** A refusal, as the API shows it. */
export const refusalItem = Type.Object(
  {
    id: Type.Integer({ description: 'The id of the delivery: see `/api/deliveries/{id}`.' }),
    date: Type.String(),
    outcome: Type.Enum([...refusalOutcomes], {
      description: describeOutcomes(refusalOutcomes),
    }),
    recipient: Type.String(),
    contactId: nullable(Type.Integer()),
    emailId: nullable(Type.Integer()),
    emailName: nullable(Type.String(), {
      description: 'Null for a message of no email, and for an email that is not known.',
    }),
    transportId: nullable(Type.Integer()),
    transport: text,
    code: nullable(Type.Integer(), {
      description: "The server's reply code; null without a reply.",
    }),
    status: nullable(Type.String(), { description: 'The enhanced status code of the reply.' }),
    reason: nullable(Type.String(), { description: "The server's words, or why there are none." }),
  },
  {
    title: 'MauticRefusal',
    examples: [
      {
        id: 1,
        date: '2026-01-31T15:54:35+00:00',
        outcome: 'refused',
        recipient: 'carla@example.net',
        contactId: 20,
        emailId: 17,
        emailName: 'Spring sale',
        transportId: 2,
        transport: 'Try-out',
        code: 550,
        status: '5.7.1',
        reason: 'Message rejected as spam',
      },
    ],
  },
)
export type Refusal = Static<typeof refusalItem>

export function splitReply(reply: string | null): Pick<Refusal, 'code' | 'status' | 'reason'> {
  const match = /^(\d{3})(?: (\d\.\d{1,3}\.\d{1,3}))?(?: (.*))?$/s.exec(reply ?? '')
  const [, code, status = null, words = null] = match ?? []
  return { code: code === undefined ? null : Number(code), status, reason: words }
}

/** Returns what the caller may see of a row, with the names of emails by id. */
export function presentRefusal(
  row: DeliveryRow,
  { names, caller }: { names: ReadonlyMap<number, string>; caller: Caller },
): Refusal {
  const item = visibleDelivery(presentDelivery(row), caller)
  const { code, status, reason } = splitReply(item.reply)
  return {
    id: item.id,
    date: item.date,
    outcome: item.outcome,
    recipient: item.recipient,
    contactId: item.contactId,
    emailId: item.emailId,
    emailName: item.emailId === null ? null : (names.get(item.emailId) ?? null),
    transportId: item.transportId,
    transport: item.transport,
    code,
    status,
    reason: reason ?? item.reason,
  }
}
