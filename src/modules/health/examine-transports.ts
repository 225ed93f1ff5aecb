import { countUses, describeUses, type TransportUses } from '../../core/assignments/index.ts'
import type { Finding } from '../../core/findings/index.ts'
import {
  actionsOn,
  bad,
  doubtful,
  findByBrand,
  formatCount,
  good,
  listed,
  namedMax,
} from '../../core/findings/index.ts'
import { brandData } from '../../core/published/index.ts'
import {
  compareLoginEnds,
  type EndingLoginItem,
  type EndingTransport,
  examineStoredDsns,
  presentEndingLogins,
  type StoredDsnReport,
} from '../../core/transports/index.ts'
import { noBrand } from '../../kit/caller.ts'
import { describeDsn, inspectDsn } from '../../libraries/mailer/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { Keyring, Storage } from '../../platform/storage/index.ts'

/** Checks the transport of messages without another one. */
export function examineDefaultTransport(
  { mailerDsn }: Pick<Config, 'mailerDsn'>,
  now: number,
): Finding {
  const check = 'default transport'
  if (mailerDsn !== undefined)
    return (
      examineDefaultLogins(mailerDsn, now) ??
      good(check, `Messages without another transport use ${describeDsn(mailerDsn)}.`)
    )
  const detail = 'There is none: messages without a transport are stored, and wait for one.'
  return doubtful(check, { detail, fix: 'Set MAILYARD_MAILER_DSN to have one.' })
}

/** Finds that most mail is captured, because the settings name who gets any. */
export function examineAllowedRecipients({
  allowedRecipients,
}: Pick<Config, 'allowedRecipients'>): Finding[] {
  if (allowedRecipients === undefined) return []
  const detail = `Mail is sent to ${listed(allowedRecipients, ', ')} only. Messages to others are captured in the inbox.`
  const fix = 'Remove MAILYARD_ALLOWED_RECIPIENTS where mail should be sent to everybody.'
  return [doubtful('recipients restricted', { detail, fix, command: 'mailyard inbox list' })]
}

/**
 * Finds transports whose DSN cannot be decrypted, and those with log-ins that stop working. It checks as many as it can in
 * `timeMs`.
 */
export async function examineDsns(
  parts: { storage: Storage; keyring: Keyring },
  { now, timeMs }: { now: number; timeMs?: number | undefined },
): Promise<Finding[]> {
  const report = await examineStoredDsns(parts, { timeMs })
  return [...describeUnreadable(report), ...(await examineLogins(report, parts.storage, now))]
}

function describeUnreadable({ unreadable, checked, isComplete }: StoredDsnReport): Finding[] {
  if (unreadable.length === 0) {
    const which = isComplete
      ? 'Every stored DSN'
      : `Each of the first ${formatCount(checked)} stored DSNs`
    return [good('DSNs', `${which} can be read.`)]
  }
  return findByBrand(unreadable, (transports) => {
    const names = transports.map(({ name }) => `"${name}"`)
    const detail = `${formatCount(names.length)} cannot be read: ${listed(names, ', ')}.`
    const fix = 'Save their DSNs again, or restore the secret key.'
    const actions = actionsOn('openTransport', transports)
    return bad('DSNs', { detail, shared: detail, fix, actions })
  })
}

/** Describes the log-ins of stored transports that stop working, what ends together in one finding. */
async function examineLogins(
  { ending, checked, isComplete }: StoredDsnReport,
  storage: Storage,
  now: number,
): Promise<Finding[]> {
  const check = 'log-ins'
  const which = isComplete ? 'stored DSN' : `of the first ${formatCount(checked)} stored DSNs`
  if (ending.length === 0) return [good(check, `No ${which} has a log-in that is about to end.`)]
  const findings: Finding[] = []
  for (const [login, transports] of groupByLogin(ending, now)) {
    const published = transports.filter(({ isPublished }) => isPublished)
    const named = published.slice(0, namedMax)
    const ids = named.map(({ id }) => id)
    const uses = await countUses(storage.tables(), ids, {
      mautic: undefined,
      brands: 'all',
    })
    const parts = named.map((transport, index) => nameTransport(transport, uses[index]))
    const more = published.length > namedMax ? [`${published.length - namedMax} more`] : []
    const others = transports.length - published.length
    const unpublished = others > 0 ? [`${others} unpublished`] : []
    const listed = [...parts, ...more, ...unpublished].join(';\n')
    const names = named.map(({ name }) => `"${name}"`)
    findings.push({
      ...good(check, `${describeEnd(login)} Transports: ${listed}.`),
      ...brandData(transports[0]?.brand_id ?? noBrand),
      ...(names.length > 0 && { shared: `${describeEnd(login)} Transports: ${names.join(', ')}.` }),
      // Nothing is sent through an unpublished transport.
      severity: published.length === 0 ? 'ok' : login.severity,
      fix: 'Open each transport, and choose "Move to OAuth". docs/tasks/move-to-oauth.md has the steps.',
      actions: actionsOn('openTransport', named),
    })
  }
  return findings
}

/** Describes the log-in of the default transport that ends first; undefined where none ends. */
function examineDefaultLogins(dsn: string, now: number): Finding | undefined {
  const inspection = inspectDsn(dsn, { hasCommand: true, hasInbox: true })
  const [first] = presentEndingLogins(inspection.valid ? inspection.endingLogins : [], now)
  if (first === undefined) return undefined
  return {
    ...good('default transport', `${describeDsn(dsn)}. ${describeEnd(first)}`),
    severity: first.severity,
    fix: 'Every message without another transport depends on it. Set MAILYARD_MAILER_DSN as docs/tasks/move-to-oauth.md says.',
  }
}

/** Groups transports by brand and what ends. Its sentence is the same for all that ends together. */
function groupByLogin(
  ending: readonly EndingTransport[],
  now: number,
): [EndingLoginItem, EndingTransport[]][] {
  const groups = new Map<string, [EndingLoginItem, EndingTransport[]]>()
  for (const transport of ending)
    for (const login of presentEndingLogins(transport.logins, now)) {
      const key = `${transport.brand_id} ${login.sentence}`
      const [, transports] = groups.get(key) ?? [login, []]
      // A list may have several such members.
      if (transports.at(-1) !== transport) transports.push(transport)
      groups.set(key, [login, transports])
    }
  return [...groups.values()].sort(([one], [other]) => compareLoginEnds(one, other))
}

function nameTransport(
  { name }: Pick<EndingTransport, 'name'>,
  uses: TransportUses | undefined,
): string {
  const described = uses === undefined ? undefined : describeUses(uses)
  return `"${name}", ${described === undefined ? 'not assigned' : `with ${described}`}`
}

function describeEnd({ sentence, daysLeft }: EndingLoginItem): string {
  return daysLeft === null ? sentence : `${sentence} ${whenOf(daysLeft)}`
}

function whenOf(daysLeft: number): string {
  const days = Math.abs(daysLeft) === 1 ? '1 day' : `${Math.abs(daysLeft)} days`
  if (daysLeft === 0) return 'That is today.'
  return daysLeft > 0 ? `That is in ${days}.` : `That was ${days} ago.`
}
