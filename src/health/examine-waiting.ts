import { sql } from 'kysely'
import type { Config } from '../config/index.ts'
import { noTransport } from '../delivery/index.ts'
import type { Storage } from '../storage/index.ts'
import { formatCount } from './count-text.ts'
import { actionOf, actionsOn, bad, doubtful, type Finding, listed, namedMax } from './finding.ts'

/** A count of more would read a large part of the queue. */
const countMax = 10_000

const check = 'waiting messages'

/** Finds the messages that wait for a transport, and the Mautics whose messages would. Returns nothing where there are none. */
export async function examineWaiting(
  storage: Storage,
  { mailerDsn }: Pick<Config, 'mailerDsn'>,
): Promise<Finding[]> {
  const hasDefault = mailerDsn !== undefined
  return [
    ...(await examineUnrouted(storage)),
    ...(hasDefault ? [] : await examineMauticTransports(storage)),
  ]
}

interface WaitingGroup {
  mautic: string | null
  sender: string
  count: number | string
}

async function examineUnrouted(storage: Storage): Promise<Finding[]> {
  const { rows } = await sql<WaitingGroup>`
    select mautics.name as mautic, waiting.sender, count(*) as count from (
      select m.mautic_id, case when m.mautic_id = 0 then m.sender else '' end as sender
      from queue_recipients r join queue_messages m on m.id = r.message_id
      where r.waits_for = ${sql.lit(noTransport)} limit ${sql.lit(countMax)}) waiting
    left join mautics on mautics.id = waiting.mautic_id
    group by waiting.mautic_id, mautics.name, waiting.sender
    order by count(*) desc, mautics.name, waiting.sender`.execute(storage.tables<unknown>())
  if (rows.length === 0) return []
  const total = rows.reduce((sum, { count }) => sum + Number(count), 0)
  const shown = total >= countMax ? `${formatCount(countMax)} or more` : formatCount(total)
  const clause = total === 1 ? 'message is stored and waits' : 'messages are stored and wait'
  const detail = `${shown} ${clause} for a transport: ${listed(rows.map(describeGroup))}.`
  const fix =
    'Assign a transport to the email, the sender or the Mautic, or set MAILYARD_MAILER_DSN: they are then sent at once.'
  const actions = [...actionOf('openQueue'), ...actionOf('openAssignments')]
  return [bad(check, { detail, fix, command: 'mailyard queue list', actions })]
}

function describeGroup({ mautic, sender, count }: WaitingGroup): string {
  const shown = formatCount(Number(count))
  if (mautic !== null) return `${shown} of the Mautic "${mautic}"`
  return `${shown} from ${sender === '' ? 'Mailyard or a deleted Mautic' : sender}`
}

/** Without a default transport of the service, a Mautic needs a separate one. */
async function examineMauticTransports(storage: Storage): Promise<Finding[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select mautics.id, mautics.name from mautics left join transports on transports.id = mautics.transport_id
    where mautics.is_published and (transports.id is null or not transports.is_published)
    order by mautics.name limit ${sql.lit(namedMax + 1)}`.execute(storage.tables<unknown>())
  if (rows.length === 0) return []
  const named = rows.slice(0, namedMax)
  const names = named.map(({ name }) => `"${name}"`)
  const more = rows.length > namedMax ? ', …' : ''
  const detail = `No published default transport: ${names.join(', ')}${more}. Mail without an assignment is stored, and waits.`
  const fix = 'Choose the default transport of each.'
  const command = 'mailyard mautics edit ID --transport-id TRANSPORT'
  const actions = actionsOn('openMautic', rows)
  return [doubtful('Mautic transports', { detail, fix, command, actions })]
}
