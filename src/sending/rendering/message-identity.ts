import { randomUUID } from 'node:crypto'
import type { Clock } from '../../kit/clock.ts'
import type { MessageIdentity } from './compose-email.ts'

/** What makes a new message unlike any other; its Message-ID is of the sender's domain. */
export function createIdentity(senderAddress: string, clock: Clock): MessageIdentity {
  const domain = senderAddress.slice(senderAddress.lastIndexOf('@') + 1) || 'localhost'
  const id = randomUUID()
  return { messageId: `<${id}@${domain}>`, date: new Date(clock.now()), boundary: `=_${id}` }
}
