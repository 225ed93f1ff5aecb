import { can } from '../lib/session.ts'
import { alignmentWords as text } from '../words/alignment.ts'
import { domainOf } from './sender-domain.ts'
import { senderHref } from './sender-href.ts'

/**
 * Outlook.com and Gmail refuse senders that fail DMARC with these codes.
 *
 * @see https://support.google.com/a/answer/3221692: Gmail SMTP errors and codes.
 */
const unbelieved = /\b[45]\.7\.(?:515|26)\b/
/** Outlook.com names the domain: `Access denied, sending domain [BRAND.EXAMPLE] does not meet …`. */
const namedDomain = /sending domain \[?([a-z0-9-]+(?:\.[a-z0-9-]+)+)\]?/i

/** A link to the From domain of a message that was refused because its sender was not believed; nothing for other replies. */
export function RefusedSender({ reply, sender }: { reply: string | null; sender: string }) {
  if (reply === null || !unbelieved.test(reply) || !can('multipleTransports:view')) return null
  const domain = namedDomain.exec(reply)?.[1]?.toLowerCase() ?? domainOf(sender)
  if (domain === undefined) return null
  return (
    <p>
      <a href={senderHref(domain)}>{text.refused(domain)}</a>
    </p>
  )
}
