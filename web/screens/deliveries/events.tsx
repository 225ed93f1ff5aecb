import { deliveryEvents } from '../../../src/core/delivery/events.ts'
import { classOfReply } from '../../../src/libraries/mailer/delivery/reply-class.ts'
import { Badge } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { type Body, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { EventBadge } from '../../records/outcome-badge.tsx'
import { loadProviders } from '../../records/providers.tsx'
import { domainOf, senderHref } from '../../records/sender-domain.ts'
import type { Delivery } from '../../records/use-deliveries.ts'
import { alignmentWords } from '../../words/alignment.ts'
import { formatExactTime } from '../../words/format.ts'

const texts = {
  title: 'Events',
  classes: { hard: 'For good', soft: 'For now' },
  guess: 'A guess',
  guessHelp:
    'The event names no message that Mailyard knows, so it is shown at the last one to this address. It suppresses nothing.',
  by: { webhook: (provider: string) => `by webhook of ${provider}`, mail: 'by mail' },
} as const

type Event = Body<'GET', '/api/deliveries/{id}'>['events'][number]

/** What is known of a message after a server accepted it, the first event first; nothing where nothing is known. */
export function Events({ events, delivery }: { events: readonly Event[]; delivery: Delivery }) {
  const titles = useProviderTitles(events.length > 0)
  if (events.length === 0) return null
  return (
    <Card title={texts.title}>
      <ol class="timeline">
        {events.map(({ id, type, class: kind, date, reason, provider, source, isGuess }) => (
          <li key={id} data-tone={deliveryEvents[type].tone}>
            <div class="spread">
              <span class="row">
                <time dateTime={date}>{formatExactTime(date)}</time>
                <EventBadge event={type} />
                {kind !== null && <span class="quiet small">{texts.classes[kind]}</span>}
                {isGuess && <Badge title={texts.guessHelp}>{texts.guess}</Badge>}
              </span>
              <span class="quiet small">
                {source === 'mail' || provider === null
                  ? texts.by.mail
                  : texts.by.webhook(titles.get(provider) ?? provider)}
              </span>
            </div>
            {reason !== null && <pre>{reason}</pre>}
            <RefusedSender reply={reason} delivery={delivery} />
            {isGuess && <p class="quiet small">{texts.guessHelp}</p>}
          </li>
        ))}
      </ol>
    </Card>
  )
}

function useProviderTitles(isNeeded: boolean): ReadonlyMap<string, string> {
  const { data } = useData(
    async () => (isNeeded && can('multipleTransports:view') ? loadProviders() : undefined),
    [isNeeded],
  )
  return new Map(data?.providers.map(({ name, title }) => [name, title]))
}

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
        <a href={ofTransport}>{alignmentWords.refusedUnnamed}</a>
      ) : (
        <a href={senderHref(domain)}>{alignmentWords.refused(domain)}</a>
      )}
    </p>
  )
}
