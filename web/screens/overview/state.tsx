import { Badge } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { Period, Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { ofBrand, shownBrand, whereBrand } from '../../lib/brand.ts'
import { openFindings, severities } from '../../records/findings.ts'
import { Entries, Entry, Part } from '../../records/part.tsx'
import {
  byTransport,
  countQueued,
  filterOfGroup,
  keyOfGroup,
  nameOfGroup,
  queueHref,
  WhyWaiting,
} from '../../records/queue.tsx'
import { UsageBars } from '../../records/usage-bars.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { capitalize } from '../../words/records.ts'

const queueTexts = {
  title: 'Queue by transport',
  all: 'Queue',
  none: 'The queue is empty.',
  count: (count: number) => `${formatNumber(count)} waiting`,
  held: (count: number) => `${formatNumber(count)} held`,
} as const

const limitTexts = {
  title: 'Limits of today',
  all: 'All limits',
  none: 'There is no limit.',
  warmUp: (day: number) => `Warm-up, day ${formatNumber(day)}`,
} as const

const findingTexts = {
  title: 'Findings',
  all: 'Health',
  none: 'The check of this installation finds nothing.',
} as const

/** What waits, by transport, with the oldest message of each. */
export function QueueByTransport() {
  return (
    <Part
      texts={queueTexts}
      href="/queue"
      load={async (signal) => {
        const { groups } = (await ask('GET', '/api/queue', { query: ofBrand(), signal })).body
        return byTransport(groups).sort((one, other) => countQueued(other) - countQueued(one))
      }}
      show={(group) => (
        <Entry
          key={keyOfGroup(group)}
          name={
            <span class="row">
              <a href={queueHref(filterOfGroup(group))}>{nameOfGroup(group)}</a>
              {group.held > 0 && <Badge icon="held">{queueTexts.held(group.held)}</Badge>}
            </span>
          }
          end={
            <>
              {countQueued(group) > group.held && (
                <strong>{queueTexts.count(countQueued(group) - group.held)} </strong>
              )}
              {group.oldest !== null && (
                <>
                  {words.oldest} <Time iso={group.oldest} />
                </>
              )}
            </>
          }
        >
          <WhyWaiting group={group} />
        </Entry>
      )}
    />
  )
}

/** The limits with the most use today, their warm-up, and the hour at which they are reached. */
export function LimitsOfToday() {
  return (
    <Part
      texts={limitTexts}
      href="/limits"
      load={async (signal) => {
        const query = { with: 'usage', published: 1, limit: 100, ...whereBrand() }
        const { limits } = (await ask('GET', '/api/limits', { query, signal })).body
        return limits
          .filter(({ usage }) => usage !== undefined)
          .sort((one, other) => shareOf(other) - shareOf(one))
      }}
      show={({ id, name, usage }) => (
        <Entry
          key={id}
          name={<a href={`/limits/${id}`}>{name}</a>}
          end={usage?.warmUp ? limitTexts.warmUp(usage.warmUp.day) : undefined}
        >
          {usage !== undefined && <UsageBars usage={usage} isShort />}
        </Entry>
      )}
    />
  )
}

function shareOf({ usage }: Schema<'Limit'>): number {
  return Math.max(0, ...(usage?.windows ?? []).map(({ used, max }) => used / Math.max(1, max)))
}

/** What the check of the installation has found, of the shown brand and of none; nothing before that is known. */
export function Findings() {
  const shown = Number(shownBrand.value)
  const findings = openFindings.value?.filter(({ brand = shown }) => [0, brand].includes(shown))
  if (findings === undefined) return null
  const tools = (
    <a class="small" href="/health">
      {findingTexts.all}
    </a>
  )
  return (
    <Card title={findingTexts.title} tools={tools}>
      <Entries
        none={findingTexts.none}
        entries={findings.map(({ check, severity, detail, since, until }) => (
          <Entry
            key={`${check} ${detail}`}
            name={capitalize(check)}
            end={
              <>
                <Period since={since} until={until} />{' '}
                <Badge tone={severities[severity].tone}>{severities[severity].label}</Badge>
              </>
            }
          >
            <p class="small clamp">{detail}</p>
          </Entry>
        ))}
      />
    </Card>
  )
}
