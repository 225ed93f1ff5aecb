import { secretMask } from '../../mailer/index.ts'
import type { DeliveryRow } from '../table.ts'

/** What is known of a delivery, as the caller may see it. */
interface Evidence
  extends Pick<DeliveryRow, 'outcome' | 'member' | 'transport' | 'sender' | 'recipient'> {
  date: string
  messageId: string | null
}

/** Says how an operator finds out whether an uncertain message arrived; null for any other outcome. */
export function settleHint(delivery: Evidence): string | null {
  const { outcome, date, member, transport, messageId, sender, recipient } = delivery
  if (outcome !== 'uncertain') return null
  const server =
    member ?? (transport === null ? 'the server' : `the server of the transport "${transport}"`)
  const to = recipient === secretMask ? '' : ` to ${recipient}`
  const message = messageId === null ? `a message from ${sender}${to}` : `${messageId}${to}`
  return (
    `Look for ${message} in the log of ${server} from ${date} on. If the server took the message, settle it as ` +
    'accepted. If the log does not have it, settle it as deferred: it may then be sent again.'
  )
}
