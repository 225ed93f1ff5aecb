import { hash } from 'node:crypto'
import type { Clock } from '../../kit/clock.ts'
import type { MessageIdentity } from '../rendering/compose-email.ts'

/**
 * What makes the message to one recipient of a sending unlike any other. It is the same each time it is
 * tried, so that whoever gets it twice all the same may know it; and others can tell what it was when
 * the process that sent it is dead.
 */
export function createJobIdentity(
  recipient: { seed: string; sendingId: number; contactId: number; sender: string },
  clock: Clock,
): MessageIdentity {
  const { seed, sendingId, contactId, sender } = recipient
  const domain = sender.slice(sender.lastIndexOf('@') + 1) || 'localhost'
  const id = hash('sha256', `${seed} ${sendingId} ${contactId}`, 'hex').slice(0, 40)
  return { messageId: `<${id}@${domain}>`, date: new Date(clock.now()), boundary: `=_${id}` }
}
