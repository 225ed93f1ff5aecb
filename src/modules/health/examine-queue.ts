import { sql } from 'kysely'
import { isTransport, noTransport, unansweredTransport } from '../../core/delivery/index.ts'
import type { Finding } from '../../core/findings/index.ts'
import {
  actionOf,
  actionsOn,
  bad,
  doubtful,
  findByBrand,
  findEach,
  formatCount,
  good,
  listed,
} from '../../core/findings/index.ts'
import { brandData } from '../../core/published/index.ts'
import { describeReason, readBraked } from '../../core/queue/index.ts'
import { findTransportNames } from '../../core/transports/index.ts'
import type { OfBrand } from '../../kit/caller.ts'
import { formatDate } from '../../kit/iso-date.ts'
import type { Config } from '../../platform/config/index.ts'
import type { Storage } from '../../platform/storage/index.ts'

/** A count of more would read a large part of a table. */
const countMax = 10_000

/** Counts uncertain deliveries. */
export async function examineUncertain(storage: Storage): Promise<Finding[]> {
  const rows = await countUncertain(storage)
  const check = 'uncertain deliveries'
  if (rows.length === 0) return [good(check, 'There are none.')]
  return findByBrand(rows, ([row]) => {
    const uncertain = Number(row?.count)
    const shown =
      uncertain > countMax ? `More than ${formatCount(countMax)}` : formatCount(uncertain)
    const detail = `${shown} may have arrived, and are not sent again automatically.`
    const fix = 'Decide each: it arrived, or it is to be sent again.'
    const command = 'mailyard deliveries list --outcome uncertain'
    return doubtful(check, { detail, fix, command, actions: actionOf('decideDeliveries') })
  })
}

/** Finds the groups of bulk messages that their brakes hold. Returns nothing where there are none. */
export async function examineBrakes(storage: Storage): Promise<Finding[]> {
  const braked = await readBraked(storage)
  const ids = braked.map(({ transportId }) => transportId)
  const names = await findTransportNames(storage, ids.filter(isTransport))
  return findEach(braked, ({ senderDomain, transportId, brand, brakedAt, ...reason }) => {
    const name = names.get(transportId)
    const through = name === undefined ? 'the default transport' : `"${name}"`
    const finding = doubtful('bulk messages', {
      detail: `The brake holds those of ${senderDomain} through ${through}: ${describeReason(reason)}`,
      since: formatDate(brakedAt),
      fix: 'Find out why in their deliveries. Then continue or cancel.',
      command: 'mailyard queue list-brakes',
      actions: actionOf('openQueue'),
    })
    return { ...finding, ...brandData(brand) }
  })
}

async function countUncertain(storage: Storage) {
  const { rows } = await sql<
    OfBrand & { count: number | string }
  >`select brand_id, count(*) as count from (
    select brand_id from deliveries where outcome = 'uncertain' limit ${countMax + 1}) as first_ones
    group by brand_id order by brand_id`.execute(storage.tables<unknown>())
  return rows
}

/** Finds the messages that wait for a transport, and the Mautics whose messages would. Returns nothing where there are none. */
export async function examineWaiting(
  storage: Storage,
  { mailerDsn }: Pick<Config, 'mailerDsn'>,
): Promise<Finding[]> {
  const hasDefault = mailerDsn !== undefined
  return [
    ...(await findWaiting(storage, noTransport, describeUnrouted)),
    ...(await findWaiting(storage, unansweredTransport, describeUnanswered)),
    ...(hasDefault ? [] : await examineMauticTransports(storage)),
  ]
}

interface WaitingGroup extends OfBrand {
  mautic: string | null
  sender: string
  count: number | string
  problem: string | null
}

/** Makes findings of the recipients that wait for one value of `waits_for`, by Mautic or sender: one for each brand. */
async function findWaiting(
  storage: Storage,
  waitsFor: number,
  describe: (waiting: Waiting) => Finding,
): Promise<Finding[]> {
  const { rows } = await sql<WaitingGroup>`
    select waiting.brand_id, mautics.name as mautic, waiting.sender, count(*) as count, max(problem) as problem from (
      select r.problem, r.brand_id, m.mautic_id, case when m.mautic_id = 0 then m.sender else '' end as sender
      from queue_recipients r join queue_messages m on m.id = r.message_id
      where r.waits_for = ${sql.lit(waitsFor)} limit ${sql.lit(countMax)}) waiting
    left join mautics on mautics.id = waiting.mautic_id
    group by waiting.brand_id, waiting.mautic_id, mautics.name, waiting.sender
    order by waiting.brand_id, count(*) desc, mautics.name, waiting.sender`.execute(
    storage.tables<unknown>(),
  )
  return findByBrand(rows, (groups) => {
    const total = groups.reduce((sum, { count }) => sum + Number(count), 0)
    const shown = total >= countMax ? `${formatCount(countMax)} or more` : formatCount(total)
    return describe({ groups, shown, isOne: total === 1 })
  })
}

interface Waiting {
  groups: readonly WaitingGroup[]
  shown: string
  isOne: boolean
}

function describeUnrouted({ groups, shown, isOne }: Waiting): Finding {
  const clause = isOne ? 'message is stored and waits' : 'messages are stored and wait'
  const detail = `${shown} ${clause} for a transport: ${listed(groups.map(describeGroup))}.`
  const fix =
    'Assign a transport to the email, the sender or the Mautic, or set MAILYARD_MAILER_DSN: they are then sent at once.'
  const actions = [...actionOf('openQueue'), ...actionOf('openAssignments')]
  return bad('waiting messages', { detail, fix, command: 'mailyard queue list', actions })
}

/** Describes the messages that wait for an answer of their Mautic. */
function describeUnanswered({ groups, shown, isOne }: Waiting): Finding {
  const clause = isOne ? 'message waits' : 'messages wait'
  const detail = `Mautic answers slowly, or not at all: ${shown} ${clause}, ${listed(groups.map(describeGroup))}. One of them: ${groups[0]?.problem}.`
  const fix =
    'Do what the answer says, or check the server of the Mautic: what waits is sent as soon as it answers. Or send it without the answer, in the queue.'
  const command = 'mailyard queue list --transport unanswered'
  const actions = actionOf('openQueue')
  return doubtful('unanswered messages', { detail, fix, command, actions })
}

function describeGroup({ mautic, sender, count }: WaitingGroup): string {
  const shown = formatCount(Number(count))
  if (mautic !== null) return `${shown} of the Mautic "${mautic}"`
  return `${shown} from ${sender === '' ? 'Mailyard or a deleted Mautic' : sender}`
}

/** Without a default transport of the service, a Mautic needs a separate one. */
async function examineMauticTransports(storage: Storage): Promise<Finding[]> {
  const { rows } = await sql<OfBrand & { id: number; name: string }>`
    select mautics.id, mautics.name, mautics.brand_id from mautics left join transports on transports.id = mautics.transport_id
    where mautics.is_published and (transports.id is null or not transports.is_published)
    order by mautics.name`.execute(storage.tables<unknown>())
  return findByBrand(rows, describeWithoutTransport)
}

function describeWithoutTransport(rows: readonly { id: number; name: string }[]): Finding {
  const names = rows.map(({ name }) => `"${name}"`)
  const detail = `No published default transport: ${listed(names, ', ')}. Mail without an assignment is stored, and waits.`
  const fix = 'Choose the default transport of each.'
  const command = 'mailyard mautics edit ID --transport-id TRANSPORT'
  const actions = actionsOn('openMautic', rows)
  return doubtful('Mautic transports', { detail, fix, command, actions })
}
