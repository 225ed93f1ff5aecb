import { sql } from 'kysely'
import type { Config } from '../config/index.ts'
import { type BrakeKind, brakeKinds } from '../delivery/index.ts'
import { describeDsn } from '../mailer/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import { examineStoredDsns, type StoredDsnReport } from '../transports/index.ts'
import { formatCount } from './count-text.ts'
import { examineDefaultLogins, examineLogins } from './examine-logins.ts'
import { actionOf, actionsOn, bad, doubtful, type Finding, good } from './finding.ts'

/** How many transports or groups a finding names. */
const namedMax = 10
/** The brakes that are read. */
const brakesMax = 1_000

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
  { now, timeMs }: { now: number; timeMs?: number },
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
  const command = 'mailyard delivery list --outcome uncertain'
  return doubtful(check, { detail, fix, command, actions: actionOf('decideDeliveries') })
}

const brakeReasons: Record<BrakeKind, string> = {
  refusals: '20 % or more of their attempts were refused for good',
  bounces: 'more than 5 % of their last accepted messages bounced',
  complaints: 'more than 0.3 % of their last accepted messages were complained about',
}

interface BrakedRow {
  brake_kind: BrakeKind | null
}

/** Finds the groups of bulk messages that their brakes hold. Returns nothing where there are none. */
export async function examineBrakes(storage: Storage): Promise<Finding[]> {
  const { rows } = await sql<BrakedRow & { sender_domain: string; transport_id: number }>`
    select sender_domain, transport_id, brake_kind from queue_brakes
    where braked_at is not null order by id desc limit ${brakesMax}`.execute(
    storage.tables<unknown>(),
  )
  return byReason(rows).map(([reason, braked]) => {
    const names = braked.slice(0, namedMax).map(({ sender_domain: domain, transport_id: id }) => {
      return `${domain} through ${id > 0 ? `transport ${id}` : 'the default transport'}`
    })
    const more = braked.length > namedMax ? ', …' : ''
    const detail = `Held because ${reason}: ${names.join(', ')}${more}.`
    const fix = 'Find out why in their deliveries. Then continue or cancel each.'
    const command = 'POST /api/queue/brakes/{id}/continue, or …/cancel'
    return doubtful('bulk messages', { detail, fix, command, actions: actionOf('openQueue') })
  })
}

/** Groups what brakes hold by why. */
function byReason<Row extends BrakedRow>(rows: readonly Row[]): [string, Row[]][] {
  const groups = Map.groupBy(rows, ({ brake_kind: kind }) => kind ?? 'refusals')
  return brakeKinds.flatMap((kind) => {
    const braked = groups.get(kind)
    return braked === undefined ? [] : [[brakeReasons[kind], braked]]
  })
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
