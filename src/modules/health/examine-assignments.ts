import { sql } from 'kysely'
import type { Finding } from '../../core/findings/index.ts'
import {
  actionOf,
  actionsOn,
  doubtful,
  formatCount,
  good,
  listed,
} from '../../core/findings/index.ts'
import type { Storage } from '../../platform/storage/index.ts'

/** Finds emails that are assigned to unpublished transports. */
export async function examineAssignments(storage: Storage): Promise<Finding> {
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
