import type { DeliveryRow } from '../table.ts'

/**
 * What is known of a delivery when its message leaves, and would not be found out again: it is kept with the
 * recipient, in case the process dies. It is short, since each recipient's is written and taken away again.
 */
export type Attempt = Pick<
  DeliveryRow,
  'started_at' | 'sender' | 'recipient' | 'transport_id' | 'transport' | 'message_id' | 'trace'
>

export function writeAttempt(attempt: Attempt): string {
  const { started_at, sender, recipient, transport_id, transport, message_id, trace } = attempt
  return JSON.stringify([started_at, sender, recipient, transport_id, transport, message_id, trace])
}

/** Of one that an earlier version began, what that wrote down; where it wrote nothing, it is dated now. */
export function readAttempt(text: string | null, now: number): Attempt {
  const fallback: Fields = [now, '', '', null, null, null]
  const fields = text === null ? fallback : (JSON.parse(text) as Fields)
  const [started_at, sender, recipient, transport_id, transport, message_id, trace = '[]'] = fields
  return { started_at, sender, recipient, transport_id, transport, message_id, trace }
}

type Fields = [
  startedAt: number,
  sender: string,
  recipient: string,
  transportId: number | null,
  transport: string | null,
  messageId: string | null,
  trace?: string,
]
