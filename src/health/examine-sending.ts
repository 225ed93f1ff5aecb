import { sql } from 'kysely'
import { countByTransport } from '../delivery/index.ts'
import { listDayAllowances } from '../limits/index.ts'
import type { Storage } from '../storage/index.ts'
import { actionOf, actionsOn, doubtful, formatCount, good, listed } from './finding.ts'
import type { Finding } from './schema.ts'

const dayMs = 86_400_000

/**
 * Finds what keeps emails from the transport that is meant for them, or will do so today: assignments to unpublished
 * transports, and limits below yesterday's volume. Days are those of UTC.
 */
export async function examineSending(storage: Storage, now: number): Promise<Finding[]> {
  const today = now - (now % dayMs)
  return [await examineAssignments(storage), await examineLimits(storage, today)]
}

async function examineAssignments(storage: Storage): Promise<Finding> {
  const check = 'assignments'
  const { rows } = await sql<{ id: number; name: string; emails: number | string }>`
    select transports.id, transports.name, count(*) as emails from transports join (
      select transport_id from email_transports
      union all select transport_id from mautic_email_transports
    ) as assigned on assigned.transport_id = transports.id
    where not transports.is_published
    group by transports.id, transports.name order by transports.id`.execute(
    storage.tables<unknown>(),
  )
  if (rows.length === 0) return good(check, 'No email is assigned to an unpublished transport.')
  const parts = rows.map(({ name, emails }) => {
    const count = Number(emails)
    return `${count === 1 ? '1 email' : `${formatCount(count)} emails`} to "${name}"`
  })
  const detail = `Unpublished transports are assigned: ${listed(parts)}. These emails are sent through the next transport of their route.`
  const fix = 'Publish the transport, or assign another one to these emails.'
  const transports = actionsOn('openTransport', rows)
  const actions = [...transports, ...actionOf('openAssignments')]
  return doubtful(check, { detail, fix, actions })
}

async function examineLimits(storage: Storage, today: number): Promise<Finding> {
  const check = 'limits'
  const limits = await listDayAllowances(storage, today)
  const counts =
    limits.length === 0 ? [] : await countByTransport(storage, { from: today - dayMs, to: today })
  const small = limits.flatMap(({ id, name, transports, recipients }) => {
    const sent = counts
      .filter(({ transportId }) => transports.includes(transportId))
      .reduce((sum, { attempted }) => sum + attempted, 0)
    return sent <= recipients ? [] : [{ id, name, recipients, sent }]
  })
  if (small.length === 0) return good(check, "None is below yesterday's volume.")
  const parts = small.map(
    ({ name, recipients, sent }) =>
      `"${name}" allows ${formatCount(recipients)} recipients today, and yesterday had ${formatCount(sent)}`,
  )
  const fix = 'Raise the limit, or expect messages to wait.'
  const actions = actionsOn('openLimit', small)
  const detail = `Below yesterday's volume: ${listed(parts)}.`
  return doubtful(check, { detail, fix, actions })
}
