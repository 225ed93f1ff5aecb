import type { Schema } from '../../lib/api.ts'
import { queueWords as texts } from '../../words/queue.ts'

/** The name of the transport of a group of the queue. */
export function nameOf({ transportId, transport }: Schema<'QueueGroup'>): string {
  if (transportId !== null) return transport ?? texts.transportNumber(transportId)
  return transport === null ? texts.noTransport : texts.default
}
