import { sql } from 'kysely'
import type { Config } from '../config/index.ts'
import { isTransport } from '../delivery/index.ts'
import { describeDsn } from '../mailer/index.ts'
import { describeReason, readBraked } from '../queue/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import { examineStoredDsns, type StoredDsnReport } from '../transports/index.ts'
import { formatCount } from './count-text.ts'
import { examineDefaultLogins, examineLogins } from './examine-logins.ts'
import { actionOf, actionsOn, bad, doubtful, type Finding, good } from './finding.ts'

/** How many transports or groups a finding names. */
const namedMax = 10

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

/**
 * Finds transports whose DSN cannot be decrypted, and those with log-ins that stop working. It checks as many as it can in
 * `timeMs`.
 */
export async function examineDsns(
  parts: { storage: Storage; keyring: Keyring },
  { now, timeMs }: { now: number; timeMs?: number | undefined },
): Promise<Finding[]> {
  const report = await examineStoredDsns(parts, { timeMs })
  return [describeUnreadable(report), ...(await examineLogins(report, parts.storage, now))]
}

function describeUnreadable({ unreadable, checked, isComplete }: StoredDsnReport): Finding {
  if (unreadable.length === 0) {
    const which = isComplete
      ? 'Every stored DSN'
      : `Each of the first ${formatCount(checked)} stored DSNs`
    return good('DSNs', `${which} can be read.`)
  }
  const named = unreadable.slice(0, namedMax)
  const names = named.map(({ id, name }) => `${id} (${name})`)
  const more = unreadable.length > namedMax ? ', …' : ''
  const detail = `${formatCount(unreadable.length)} cannot be read: transport ${names.join(', ')}${more}.`
  const actions = actionsOn('openTransport', named)
  return bad('DSNs', { detail, fix: 'Save their DSNs again, or restore the secret key.', actions })
}

/** Counts uncertain deliveries. */
export async function examineUncertain(storage: Storage): Promise<Finding> {
  const uncertain = await countUncertain(storage)
  const check = 'uncertain deliveries'
  if (uncertain === 0) return good(check, 'There are none.')
  const shown = uncertain > countMax ? `More than ${formatCount(countMax)}` : formatCount(uncertain)
  const detail = `${shown} may have arrived, and are not sent again automatically.`
  const fix = 'Decide each: it arrived, or it is to be sent again.'
  const command = 'mailyard deliveries list --outcome uncertain'
  return doubtful(check, { detail, fix, command, actions: actionOf('decideDeliveries') })
}

/** Finds the groups of bulk messages that their brakes hold. Returns nothing where there are none. */
export async function examineBrakes(storage: Storage): Promise<Finding[]> {
  const braked = await readBraked(storage)
  if (braked.length === 0) return []
  const groups = braked.slice(0, namedMax).map(({ senderDomain, transportId, ...reason }) => {
    const through = isTransport(transportId) ? `transport ${transportId}` : 'the default transport'
    return `${senderDomain} through ${through}: ${describeReason(reason)}`
  })
  const more = braked.length > namedMax ? ` ${braked.length - namedMax} more are held.` : ''
  const detail = `Held by their brakes: ${groups.join(' ')}${more}`
  const fix = 'Find out why in their deliveries. Then continue or cancel each.'
  const command = 'POST /api/queue/brakes/{id}/continue, or …/cancel'
  return [doubtful('bulk messages', { detail, fix, command, actions: actionOf('openQueue') })]
}

/** A count of more would read a large part of the table. */
const countMax = 10_000

async function countUncertain(storage: Storage): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count from (
    select 1 from deliveries where outcome = 'uncertain' limit ${countMax + 1}) as first_ones`.execute(
    storage.tables<unknown>(),
  )
  return Number(rows[0]?.count ?? 0)
}
