import { sql } from 'kysely'
import type { Finding } from '../../core/findings/index.ts'
import {
  actionOf,
  actionsOn,
  doubtful,
  findByBrand,
  formatCount,
  good,
  listed,
} from '../../core/findings/index.ts'
import type { OfBrand } from '../../kit/caller.ts'
import type { Storage } from '../../platform/storage/index.ts'

const check = 'assignments'

/** An unpublished transport with emails of one brand. */
interface AssignedTransport extends OfBrand {
  id: number
  name: string
  emails: number | string
}

/** Finds emails that are assigned to unpublished transports. */
export async function examineAssignments(storage: Storage): Promise<Finding[]> {
  const { rows } = await sql<AssignedTransport>`
    select transports.id, transports.name, assigned.brand_id, count(*) as emails from transports join (
      select transport_id, brand_id from email_transports join emails on emails.id = email_id
      union all select assigned.transport_id, brand_id
        from mautic_email_transports as assigned join mautics on mautics.id = mautic_id
    ) as assigned on assigned.transport_id = transports.id
    where not transports.is_published
    group by transports.id, transports.name, assigned.brand_id order by assigned.brand_id, transports.id`.execute(
    storage.tables<unknown>(),
  )
  if (rows.length === 0) return [good(check, 'No email is assigned to an unpublished transport.')]
  return findByBrand(rows, describeAssigned)
}

function describeAssigned(rows: readonly AssignedTransport[]): Finding {
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
