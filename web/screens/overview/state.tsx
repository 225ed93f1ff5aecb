import { Badge } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { Period, Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { openFindings } from '../../records/findings.ts'
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
import { healthWords } from '../../words/health.ts'
import { overviewWords } from '../../words/overview.ts'
import { capitalize } from '../../words/records.ts'
import { Entries, Entry, Part } from './part.tsx'

/** What waits, by transport, with the oldest message of each. */
export function QueueByTransport() {
  const texts = overviewWords.queue
  return (
    <Part
      texts={texts}
      href="/queue"
      load={async (signal) => {
        const { groups } = (await ask('GET', '/api/queue', { signal })).body
        return byTransport(groups).sort((one, other) => countQueued(other) - countQueued(one))
      }}
      show={(group) => (
        <Entry
          key={keyOfGroup(group)}
          name={
            <span class="row">
              <a href={queueHref(filterOfGroup(group))}>{nameOfGroup(group)}</a>
              {group.held > 0 && <Badge icon="held">{texts.held(group.held)}</Badge>}
            </span>
          }
          end={
            <>
              {countQueued(group) > group.held && (
                <strong>{texts.count(countQueued(group) - group.held)} </strong>
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
  const texts = overviewWords.limits
  return (
    <Part
      texts={texts}
      href="/limits"
      load={async (signal) => {
        const query = { with: 'usage', published: 1, limit: 100 }
        const { limits } = (await ask('GET', '/api/limits', { query, signal })).body
        return limits
          .filter(({ usage }) => usage !== undefined)
          .sort((one, other) => shareOf(other) - shareOf(one))
      }}
      show={({ id, name, usage }) => (
        <Entry
          key={id}
          name={<a href={`/limits/${id}`}>{name}</a>}
          end={usage?.warmUp ? texts.warmUp(usage.warmUp.day) : undefined}
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

/** What the check of the installation has found; nothing before that is known. */
export function Findings() {
  const texts = overviewWords.findings
  const findings = openFindings.value
  if (findings === undefined) return null
  const tools = (
    <a class="small" href="/health">
      {texts.all}
    </a>
  )
  return (
    <Card title={texts.title} tools={tools}>
      <Entries
        none={texts.none}
        entries={findings.map(({ check, severity, detail, since, until }) => (
          <Entry
            key={`${check} ${detail}`}
            name={capitalize(check)}
            end={
              <>
                <Period since={since} until={until} />{' '}
                <Badge tone={severity === 'problem' ? 'bad' : 'warn'}>
                  {healthWords.severities[severity]}
                </Badge>
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
