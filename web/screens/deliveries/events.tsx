import { deliveryEvents } from '../../../src/core/delivery/events.ts'
import { Badge } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import type { Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { EventBadge } from '../../records/outcome-badge.tsx'
import { loadProviders } from '../../records/providers.tsx'
import type { Delivery } from '../../records/use-deliveries.ts'
import { formatExactTime } from '../../words/format.ts'
import { RefusedSender } from './refused-sender.tsx'

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
