import { classOfReply } from '../../../src/libraries/mailer/delivery/reply-class.ts'
import { withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { domainOf, senderHref } from '../../records/sender-domain.ts'
import type { Delivery } from '../../records/use-deliveries.ts'
import { alignmentWords as text } from '../../words/alignment.ts'

/**
 * Outlook.com names the domain of From: `Access denied, sending domain [BRAND.EXAMPLE] does not meet …`, and so does Gmail for
 * DMARC: `Unauthenticated email from brand.example is not accepted …`.
 */
const namedDomain =
  /(?:sending domain|unauthenticated (?:mail|email) from) \[?([a-z0-9-]+(?:\.[a-z0-9-]+)+)\]?/i

/**
 * A link for a message that was refused because its sender was not believed; nothing for other replies. It leads to the
 * domain that the reply names. The envelope sender may have another domain than From, so without a name it leads to all
 * domains of the transport.
 */
export function RefusedSender({ reply, delivery }: { reply: string | null; delivery: Delivery }) {
  if (reply === null || classOfReply(reply) !== 'authentication' || !can('multipleTransports:view'))
    return null
  const { sender, transport, transportId } = delivery
  const named = namedDomain.exec(reply)?.[1]?.toLowerCase()
  const domain = named ?? (transport === null ? domainOf(sender) : undefined)
  if (domain === undefined && transport === null) return null
  const ofTransport = withQuery('/senders', { transport: transportId ?? 0 })
  return (
    <p>
      {domain === undefined ? (
        <a href={ofTransport}>{text.refusedUnnamed}</a>
      ) : (
        <a href={senderHref(domain)}>{text.refused(domain)}</a>
      )}
    </p>
  )
}
