import { countUses, describeUses, type TransportUses } from '../assignments/index.ts'
import { describeDsn, type EndingLogin, inspectDsn } from '../mailer/index.ts'
import type { Storage } from '../storage/index.ts'
import {
  type Ending,
  type EndingTransport,
  endingOf,
  type StoredDsnReport,
} from '../transports/index.ts'
import { type Finding, good } from './finding.ts'

/** How many transports a finding names. */
const namedMax = 10

const check = 'log-ins'

/** Describes the log-ins of stored transports that stop working, what ends together in one finding. */
export async function examineLogins(
  { ending, checked, isComplete }: StoredDsnReport,
  storage: Storage,
  now: number,
): Promise<Finding[]> {
  const which = isComplete ? 'stored DSN' : `of the first ${checked} stored DSNs`
  if (ending.length === 0) return [good(check, `no ${which} has a log-in that is about to end`)]
  const findings: Finding[] = []
  for (const [login, transports] of groupByLogin(ending)) {
    const published = transports.filter(({ isPublished }) => isPublished)
    const named = published.slice(0, namedMax)
    const ids = named.map(({ id }) => id)
    const uses = await countUses(storage.tables(), ids, { mautic: undefined })
    const parts = named.map((transport, index) => nameTransport(transport, uses[index]))
    const more = published.length > namedMax ? [`${published.length - namedMax} more`] : []
    const others = transports.length - published.length
    const unpublished = others > 0 ? [`${others} unpublished`] : []
    const listed = [...parts, ...more, ...unpublished].join('; ')
    const { severity, sentence } = describeEnd(login, now)
    findings.push({
      check,
      // Nothing is sent through an unpublished transport.
      severity: published.length === 0 ? 'ok' : severity,
      detail: `${sentence} Transports: ${listed}`,
      fix: 'Open each in the console, and choose "Move to OAuth". docs/tasks/move-to-oauth.md has the steps.',
    })
  }
  return findings
}

/** Describes the log-in of the default transport that ends first; undefined where none ends. */
export function examineDefaultLogins(dsn: string, now: number): Finding | undefined {
  const inspection = inspectDsn(dsn, { hasCommand: true, hasInbox: true })
  const logins = inspection.valid ? inspection.endingLogins : []
  const [first] = logins.toSorted((one, other) => compare(one.date ?? '', other.date ?? ''))
  if (first === undefined) return undefined
  const { severity, sentence } = describeEnd(first, now)
  return {
    check: 'default transport',
    severity,
    detail: `${describeDsn(dsn)}. ${sentence}`,
    fix: 'Every message without another transport depends on it. Set MAILYARD_MAILER_DSN as docs/tasks/move-to-oauth.md says.',
  }
}

/** Groups transports by what ends. Its sentence is the same for all that ends together. */
function groupByLogin(ending: readonly EndingTransport[]): [EndingLogin, EndingTransport[]][] {
  const groups = new Map<string, [EndingLogin, EndingTransport[]]>()
  for (const transport of ending)
    for (const login of transport.logins) {
      const [, transports] = groups.get(login.sentence) ?? [login, []]
      // A list may have several such members.
      if (transports.at(-1) !== transport) transports.push(transport)
      groups.set(login.sentence, [login, transports])
    }
  return [...groups.values()].sort(([one], [other]) => compare(one.date ?? '', other.date ?? ''))
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

function nameTransport(
  { id, name }: Pick<EndingTransport, 'id' | 'name'>,
  uses: TransportUses | undefined,
): string {
  const described = uses === undefined ? undefined : describeUses(uses)
  return `${id} (${name}), ${described === undefined ? 'not assigned' : `with ${described}`}`
}

function describeEnd(
  login: EndingLogin,
  now: number,
): Pick<Ending, 'severity'> & { sentence: string } {
  const { daysLeft, severity } = endingOf(login, now)
  const when = daysLeft === null ? [] : [whenOf(daysLeft)]
  return { severity, sentence: [login.sentence, ...when].join(' ') }
}

function whenOf(daysLeft: number): string {
  const days = Math.abs(daysLeft) === 1 ? '1 day' : `${Math.abs(daysLeft)} days`
  if (daysLeft === 0) return 'That is today.'
  return daysLeft > 0 ? `That is in ${days}.` : `That was ${days} ago.`
}
