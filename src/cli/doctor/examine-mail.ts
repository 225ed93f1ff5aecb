import { sql } from 'kysely'
import type { Config } from '../../config/index.ts'
import { describeDsn } from '../../mailer/index.ts'
import type { Keyring, Storage } from '../../storage/index.ts'
import { findUnreadableDsns } from '../../transports/index.ts'
import { bad, type Finding, good } from './finding.ts'

/** Transports named in one finding. */
const namedMax = 10

/** The transport of messages for which nothing else is chosen. */
export function examineDefaultTransport({ mailerDsn }: Config): Finding {
  const check = 'default transport'
  if (mailerDsn !== undefined) return good(check, describeDsn(mailerDsn))
  const detail = 'none: what no transport is assigned to is refused'
  return { check, isOk: true, detail, fix: 'Set MAILYARD_MAILER_DSN to have one.' }
}

/** Transports whose DSN the keys do not open. */
export async function examineDsns(parts: { storage: Storage; keyring: Keyring }): Promise<Finding> {
  const unreadable = await findUnreadableDsns(parts)
  if (unreadable.length === 0) return good('DSNs', 'every stored DSN can be read')
  const names = unreadable.slice(0, namedMax).map(({ id, name }) => `${id} (${name})`)
  const more = unreadable.length > namedMax ? ', …' : ''
  const detail = `${unreadable.length} cannot be read: transport ${names.join(', ')}${more}`
  return bad('DSNs', detail, 'Save their DSNs again, or restore the secret key.')
}

/** Recipients of broadcasts that wait, and deliveries that wait for a decision. */
export async function examineBacklog(storage: Storage): Promise<Finding[]> {
  const waiting = await count(storage, sql`sending_recipients where status = 'queued'`)
  const uncertain = await count(storage, sql`deliveries where outcome = 'uncertain'`)
  const fix = 'Look at `mailyard delivery list --outcome uncertain`, and settle each over the API.'
  const backlog = good('backlog', `${waiting} recipients of broadcasts are queued`)
  if (uncertain === 0) return [backlog, good('uncertain deliveries', 'none')]
  const detail = `${uncertain}: they may have arrived, and are not sent again by themselves`
  return [backlog, { check: 'uncertain deliveries', isOk: true, detail, fix }]
}

async function count(storage: Storage, from: ReturnType<typeof sql>): Promise<number> {
  const query = sql<{ count: number | string }>`select count(*) as count from ${from}`
  const { rows } = await query.execute(storage.tables<unknown>())
  return Number(rows[0]?.count ?? 0)
}
