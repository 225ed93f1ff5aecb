import { countUses, describeUses, type TransportUses } from '../assignments/index.ts'
import { describeDsn, inspectDsn } from '../mailer/index.ts'
import type { Storage } from '../storage/index.ts'
import {
  compareLoginEnds,
  type EndingLoginItem,
  type EndingTransport,
  presentEndingLogins,
  type StoredDsnReport,
} from '../transports/index.ts'
import { formatCount } from './count-text.ts'
import { actionsOn, type Finding, good } from './finding.ts'

/** How many transports a finding names. */
const namedMax = 10

const check = 'log-ins'

/** Describes the log-ins of stored transports that stop working, what ends together in one finding. */
export async function examineLogins(
  { ending, checked, isComplete }: StoredDsnReport,
  storage: Storage,
  now: number,
): Promise<Finding[]> {
  const which = isComplete ? 'stored DSN' : `of the first ${formatCount(checked)} stored DSNs`
  if (ending.length === 0) return [good(check, `No ${which} has a log-in that is about to end.`)]
  const findings: Finding[] = []
  for (const [login, transports] of groupByLogin(ending, now)) {
    const published = transports.filter(({ isPublished }) => isPublished)
    const named = published.slice(0, namedMax)
    const ids = named.map(({ id }) => id)
    const uses = await countUses(storage.tables(), ids, { mautic: undefined })
    const parts = named.map((transport, index) => nameTransport(transport, uses[index]))
    const more = published.length > namedMax ? [`${published.length - namedMax} more`] : []
    const others = transports.length - published.length
    const unpublished = others > 0 ? [`${others} unpublished`] : []
    const listed = [...parts, ...more, ...unpublished].join('; ')
    findings.push({
      check,
      // Nothing is sent through an unpublished transport.
      severity: published.length === 0 ? 'ok' : login.severity,
      detail: `${describeEnd(login)} Transports: ${listed}.`,
      fix: 'Open each transport, and choose "Move to OAuth". docs/tasks/move-to-oauth.md has the steps.',
      command: null,
      actions: actionsOn('openTransport', named),
    })
  }
  return findings
}

/** Describes the log-in of the default transport that ends first; undefined where none ends. */
export function examineDefaultLogins(dsn: string, now: number): Finding | undefined {
  const inspection = inspectDsn(dsn, { hasCommand: true, hasInbox: true })
  const [first] = presentEndingLogins(inspection.valid ? inspection.endingLogins : [], now)
  if (first === undefined) return undefined
  return {
    check: 'default transport',
    severity: first.severity,
    detail: `${describeDsn(dsn)}. ${describeEnd(first)}`,
    fix: 'Every message without another transport depends on it. Set MAILYARD_MAILER_DSN as docs/tasks/move-to-oauth.md says.',
    command: null,
    actions: [],
  }
}

/** Groups transports by what ends. Its sentence is the same for all that ends together. */
function groupByLogin(
  ending: readonly EndingTransport[],
  now: number,
): [EndingLoginItem, EndingTransport[]][] {
  const groups = new Map<string, [EndingLoginItem, EndingTransport[]]>()
  for (const transport of ending)
    for (const login of presentEndingLogins(transport.logins, now)) {
      const [, transports] = groups.get(login.sentence) ?? [login, []]
      // A list may have several such members.
      if (transports.at(-1) !== transport) transports.push(transport)
      groups.set(login.sentence, [login, transports])
    }
  return [...groups.values()].sort(([one], [other]) => compareLoginEnds(one, other))
}

function nameTransport(
  { id, name }: Pick<EndingTransport, 'id' | 'name'>,
  uses: TransportUses | undefined,
): string {
  const described = uses === undefined ? undefined : describeUses(uses)
  return `${id} (${name}), ${described === undefined ? 'not assigned' : `with ${described}`}`
}

function describeEnd({ sentence, daysLeft }: EndingLoginItem): string {
  return daysLeft === null ? sentence : `${sentence} ${whenOf(daysLeft)}`
}

function whenOf(daysLeft: number): string {
  const days = Math.abs(daysLeft) === 1 ? '1 day' : `${Math.abs(daysLeft)} days`
  if (daysLeft === 0) return 'That is today.'
  return daysLeft > 0 ? `That is in ${days}.` : `That was ${days} ago.`
}
