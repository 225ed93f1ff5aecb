import { Facts } from '../../design/facts.tsx'
import { HelpLink } from '../../design/feedback.tsx'
import { Card, Show } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask, serverNow, withQuery } from '../../lib/api.ts'
import { ofBrand, shownBrand } from '../../lib/brand.ts'
import { useAnswer, useData } from '../../lib/use-data.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { senderHref } from '../../records/sender-domain.ts'
import { SenderAlignments } from '../../records/senders.tsx'
import { BouncesLink } from '../../records/transports.tsx'
import { UsageBars } from '../../records/usage-bars.tsx'
import { alignmentWords } from '../../words/alignment.ts'
import { words } from '../../words/common.ts'
import { counted, formatNumber } from '../../words/format.ts'
import { limitWords } from '../../words/limits.ts'
import { transportWords } from '../../words/transports.ts'

const texts = {
  day: 'Last 24 hours',
  nothingSent: 'Nothing was sent through it.',
  of: (attempted: number) => `of ${counted(attempted, 'attempt')}`,
  faults: 'Most frequent faults',
  times: (times: number) => (times === 1 ? 'once, last' : `${formatNumber(times)} times, last`),
  usedBy: 'Used by',
  unused: 'No email, user or Mautic uses it.',
  emails: 'Emails',
  users: 'Users',
  mautics: 'Mautics',
} as const

export type Uses = { emails: number; users: number; mautics: number }

/** What limits a saved transport, and who uses it. */
export function TransportSide({ id, usage }: { id: number; usage: Uses | undefined }) {
  return (
    <>
      <LimitsCard id={id} />
      <SendersCard id={id} />
      <Card title={texts.usedBy}>
        {usage !== undefined && <UsedBy id={id} {...usage} />}
        <p>
          <HelpLink page="move-a-brand-to-another-provider" />
        </p>
      </Card>
    </>
  )
}

/** The last 24 hours: the share that was accepted, each outcome, and the most frequent faults. */
export function DayCard({ id }: { id: number }) {
  const transportId = String(id)
  const loaded = useData(
    async (signal) => {
      const from = new Date(serverNow() - 86_400_000).toISOString()
      const options = { query: { transport: transportId, from, ...ofBrand() }, signal }
      const { body } = await ask('GET', '/api/deliveries/transports', options)
      return { rate: body.transports[0] }
    },
    [id, shownBrand.value],
  )
  return (
    <Card
      title={texts.day}
      tools={<a href={deliveriesHref({ transportId })}>{transportWords.editor.deliveries}</a>}
    >
      <Show loaded={loaded}>
        {({ rate }) => {
          if (rate === undefined) return <p class="quiet">{texts.nothingSent}</p>
          const { attempted, accepted, faults } = rate
          const shown = attempts.filter((outcome) => rate[outcome] > 0)
          return (
            <>
              <dl class="figure">
                <dt>{texts.of(attempted)}</dt>
                <dd>{transportWords.share(accepted / attempted)}</dd>
              </dl>
              <div class="outcome-bar" aria-hidden="true">
                {shown.map((outcome) => (
                  <i
                    key={outcome}
                    data-outcome={outcome}
                    style={{ width: `${(100 * rate[outcome]) / attempted}%` }}
                  />
                ))}
              </div>
              <p class="row">
                {shown.map((outcome) => (
                  <a key={outcome} href={deliveriesHref({ transportId, outcome })}>
                    <OutcomeBadge outcome={outcome} /> {formatNumber(rate[outcome])}
                  </a>
                ))}
              </p>
              {faults.length > 0 && <h3>{texts.faults}</h3>}
              <ul class="lines">
                {faults.map(({ text, outcome, count, lastDate }) => (
                  <li key={`${outcome} ${text}`}>
                    <span class="spread small quiet">
                      {texts.times(count)} <Time iso={lastDate} />
                    </span>
                    {text}
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </Show>
      <BouncesLink transportId={id} />
    </Card>
  )
}

const attempts = ['accepted', 'deferred', 'refused', 'uncertain'] as const

/** The limits that apply to a transport. */
function LimitsCard({ id }: { id: number }) {
  const { ofTransport: text } = limitWords
  const query = { with: 'usage', published: 1, limit: 1_000 }
  const loaded = useAnswer('/api/limits', { query })
  return (
    <Card title={limitWords.title} tools={<a href="/limits">{text.all}</a>}>
      <Show loaded={loaded}>
        {({ limits }) => {
          const applied = limits.filter(({ transports }) => transports.includes(id))
          if (applied.length === 0) return <p class="quiet">{text.none}</p>
          return applied.map(({ id: limitId, name, usage }) => (
            <div key={limitId}>
              <a href={`/limits/${limitId}`}>{name}</a>
              {usage !== undefined && <UsageBars usage={usage} />}
            </div>
          ))
        }}
      </Show>
    </Card>
  )
}

const sendersMax = 20

/** The From domains that are sent through a transport, and whether receivers will believe them. */
function SendersCard({ id }: { id: number }) {
  const { ofTransport: text } = alignmentWords
  const loaded = useAnswer('/api/senders', { query: { transport: id, limit: sendersMax } })
  const href = withQuery('/senders', { transport: id })
  return (
    <Card title={text.title} tools={<a href={href}>{text.all}</a>}>
      <Show loaded={loaded}>
        {({ senders, total }) => (
          <>
            {total === 0 && <p class="quiet">{text.none}</p>}
            <SenderAlignments
              rows={senders.flatMap(({ domain, transports }) =>
                transports.map((each) => ({ ...each, name: domain, href: senderHref(domain) })),
              )}
            />
            {total > senders.length && <a href={href}>{words.showMore(total - senders.length)}</a>}
          </>
        )}
      </Show>
    </Card>
  )
}

function UsedBy({ id, emails, users, mautics }: Uses & { id: number }) {
  if (emails + users + mautics === 0) return <p class="quiet">{texts.unused}</p>
  const link = (count: number, href: string) =>
    count === 0 ? formatNumber(0) : <a href={href}>{formatNumber(count)}</a>
  const assigned = (of: string) => withQuery('/assignments', { of, transport: id })
  return (
    <Facts
      facts={[
        [texts.emails, link(emails, assigned('emails'))],
        [texts.users, link(users, assigned('users'))],
        [texts.mautics, link(mautics, '/mautics')],
      ]}
    />
  )
}
