import { Facts } from '../../design/facts.tsx'
import { Dot } from '../../design/feedback.tsx'
import { Card, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import type { Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAnswer, useData } from '../../lib/use-data.ts'
import type { Outcome } from '../../records/delivery-filters.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { senderHref } from '../../records/sender-domain.ts'
import { findSender, SenderAlignments } from '../../records/senders.tsx'
import { alignmentWords } from '../../words/alignment.ts'
import { words } from '../../words/common.ts'
import { emailWords } from '../../words/emails.ts'
import { formatNumber } from '../../words/format.ts'

type Listed = Extract<Body<'GET', '/api/emails'>['emails'], readonly unknown[]>[number]
type Usage = NonNullable<Listed['usage']>

const text = emailWords.usage

/** When an email was sent last, how its last deliveries ended, and what it is sent through. */
export function EmailUsage({ id }: { id: number }) {
  const query = { search: `ids:${id}`, fields: 'id', with: 'usage' }
  const loaded = useAnswer('/api/emails', { query })
  return (
    <Card title={text.title} tools={<a href={`/deliveries?emailId=${id}`}>{text.deliveries}</a>}>
      <Show loaded={loaded}>
        {({ emails }) =>
          Object.values(emails).map(
            ({ usage }) =>
              usage && (
                <Facts
                  key="usage"
                  facts={[
                    [words.lastSent, usage.lastSent && <Time iso={usage.lastSent} />],
                    [text.outcomes, <Outcomes key="outcomes" outcomes={usage.outcomes} />],
                    ...(can('multipleTransports:view')
                      ? [[text.transport, <TransportOf key="transport" usage={usage} />] as const]
                      : []),
                  ]}
                />
              ),
          )
        }
      </Show>
    </Card>
  )
}

/** The outcomes of the last deliveries of an email, with their numbers. */
function Outcomes({ outcomes }: { outcomes: Usage['outcomes'] }) {
  const counts = Object.entries(outcomes) as [Outcome, number][]
  if (counts.length === 0) return <span class="quiet">{words.none}</span>
  return (
    <span class="row" title={text.about}>
      {counts.map(([outcome, count]) => (
        <span key={outcome} class="row">
          {formatNumber(count)} <OutcomeBadge outcome={outcome} />
        </span>
      ))}
    </span>
  )
}

/** The transport that is assigned to an email. */
export function TransportOf({ usage: { transport, useOwnerTransport } }: { usage: Usage }) {
  return (
    <>
      {transport ? (
        <span class="row">
          {!transport.isPublished && <Dot tone="warn">{words.unpublished}</Dot>}
          <a href={`/transports/${transport.id}`}>{transport.name}</a>
        </span>
      ) : (
        <span class="quiet">{words.default}</span>
      )}
      {useOwnerTransport && <p class="quiet small">{text.owner}</p>}
    </>
  )
}

const unknownSender =
  'It is not known yet which transport sends it. Check it with the published ones.'

/** Whether receivers will believe the From domain of an email, through each transport that sends this domain. */
export function SenderCard({ domain }: { domain: string }) {
  const loaded = useData(
    async (signal) => (await findSender(domain, signal))?.transports ?? [],
    [domain],
  )
  return (
    <Card title="Sender" tools={<a href={senderHref(domain)}>{alignmentWords.open(domain)}</a>}>
      <Show loaded={loaded}>
        {(transports) =>
          transports.length === 0 ? (
            <p class="quiet">{unknownSender}</p>
          ) : (
            <SenderAlignments
              rows={transports.map(({ id, ...each }) => ({
                ...each,
                href: id === null ? undefined : `/transports/${id}`,
              }))}
            />
          )
        }
      </Show>
    </Card>
  )
}
