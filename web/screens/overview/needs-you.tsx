import type { ComponentChildren } from 'preact'
import { Card, Show } from '../../design/page.tsx'
import { Period } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { ofBrand, shownBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { useFresh } from '../../lib/use-data.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { openFindings, titleOfFinding } from '../../records/findings.ts'
import { Entries, Entry, refreshMs } from '../../records/part.tsx'
import {
  byTransport,
  countQueued,
  filterOfGroup,
  keyOfGroup,
  nameOfGroup,
  queueHref,
  WhyWaiting,
} from '../../records/queue.tsx'
import { words } from '../../words/common.ts'
import { counted, formatNumber } from '../../words/format.ts'

const texts = {
  title: 'Needs you',
  uncertain: (count: number, more: string) =>
    `${formatNumber(count)}${more} uncertain ${count === 1 && more === '' ? 'delivery' : 'deliveries'}`,
  uncertainHelp: 'It is not known whether they arrived. Nothing is sent again until you decide.',
  decide: 'Decide',
  failing: (name: string, failed: number, attempted: number) =>
    `${name}: ${formatNumber(failed)} of ${formatNumber(attempted)} failed`,
  noReason: 'The reason is not shown to you.',
  showFailed: 'Show them',
  waiting: (name: string, count: number) => `${name}: ${counted(count, 'message')} waiting`,
  held: (name: string, count: number) => `${name}: ${counted(count, 'message')} held`,
  openQueue: 'Open the queue',
  health: 'Health',
} as const

/** What a person has to look at: since when, one sentence, and where it is done. */
interface Need {
  title: string
  since: string | null | undefined
  text: ComponentChildren
  href: string
  action: string
}

type NeedOfTransport = Need & { transportId: number | null }

const uncertainMax = 100

/** Everything that needs a person, the latest first; nothing where nothing does. */
export function NeedsYou() {
  const loaded = useFresh(readNeeds, [shownBrand.value], refreshMs)
  const needs = [...(loaded.data ?? []), ...needsOfFindings()].sort((one, other) =>
    (other.since ?? '').localeCompare(one.since ?? ''),
  )
  if (needs.length === 0 && loaded.fault === undefined) return null
  return (
    <Card title={texts.title}>
      <Show loaded={{ ...loaded, data: needs }}>
        {() => (
          <Entries
            entries={needs.map(({ title, since, text, href, action }) => (
              <Entry
                key={`${title} ${href}`}
                name={<strong>{title}</strong>}
                end={
                  <span class="row">
                    <Period since={since ?? null} /> <a href={href}>{action}</a>
                  </span>
                }
              >
                {text}
              </Entry>
            ))}
          />
        )}
      </Show>
    </Card>
  )
}

async function readNeeds(signal: AbortSignal): Promise<Need[]> {
  const [uncertain, failing, waiting] = await Promise.all([
    readUncertain(signal),
    can('multipleTransports:view') ? readFailing(signal) : [],
    can('queue:view') ? readWaiting(signal) : [],
  ])
  const ids = failing.map(({ transportId }) => transportId)
  return [...uncertain, ...failing, ...waiting.filter((need) => !ids.includes(need.transportId))]
}

async function readUncertain(signal: AbortSignal): Promise<Need[]> {
  const query = { outcome: 'uncertain', limit: uncertainMax, ...ofBrand() }
  const { deliveries, next } = (await ask('GET', '/api/deliveries', { query, signal })).body
  const oldest = deliveries.at(-1)
  if (oldest === undefined) return []
  return [
    {
      title: texts.uncertain(deliveries.length, next === null ? '' : '+'),
      since: oldest.date,
      text: <Reason text={texts.uncertainHelp} />,
      href: deliveriesHref({ outcome: 'uncertain' }),
      action: texts.decide,
    },
  ]
}

async function readFailing(signal: AbortSignal): Promise<NeedOfTransport[]> {
  const options = { query: ofBrand(), signal }
  const { transports } = (await ask('GET', '/api/deliveries/transports', options)).body
  return transports.flatMap(({ id, name, failing, faults: [fault] }) => {
    if (failing === null) return []
    const { since, failed, attempted } = failing
    const transport = id === null ? { transport: 'default' } : { transportId: String(id) }
    const shownName = (id !== null && name) || words.defaultTransport
    return {
      transportId: id,
      title: texts.failing(shownName, failed, attempted),
      since,
      text: <Reason text={fault?.text ?? texts.noReason} />,
      href: deliveriesHref({ outcome: 'deferred,refused', ...transport, from: since }),
      action: texts.showFailed,
    }
  })
}

/** What is held, and what waits for a transport that does not take it. */
async function readWaiting(signal: AbortSignal): Promise<NeedOfTransport[]> {
  const { groups } = (await ask('GET', '/api/queue', { query: ofBrand(), signal })).body
  return byTransport(groups)
    .filter(({ state, held, problem }) => held > 0 || problem !== null || stopped.has(state ?? ''))
    .map((group) => {
      const { transportId, held, oldest: since } = group
      const count = countQueued(group)
      return {
        transportId,
        title: texts[held === count ? 'held' : 'waiting'](nameOfGroup(group), count),
        since,
        text: <WhyWaiting key={keyOfGroup(group)} group={group} />,
        href: queueHref(filterOfGroup(group)),
        action: texts.openQueue,
      }
    })
}

const stopped = new Set(['limited', 'held', 'unavailable', 'unanswered'])

/** The checks whose findings the other entries say. */
const listedChecks = ['uncertain deliveries', 'delay']

/** What the check of the installation has found, of the shown brand and of none; nothing before that is known. */
function needsOfFindings(): Need[] {
  const shown = Number(shownBrand.value)
  if (!can('*')) return []
  return (openFindings.value ?? []).flatMap((finding) => {
    const { check, detail, since, brand = shown } = finding
    const isListed = listedChecks.includes(check) || (check === 'transports' && since !== null)
    if (isListed || ![0, brand].includes(shown)) return []
    return {
      title: titleOfFinding(finding),
      since,
      text: <Reason text={detail} />,
      href: '/health',
      action: texts.health,
    }
  })
}

const code = /(\b[245]\d\d(?:[ -][245]\.\d{1,3}\.\d{1,3})?\b)/

function Reason({ text }: { text: string }) {
  return (
    <p class="quiet small clamp" title={text}>
      {text.split(code).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
    </p>
  )
}
