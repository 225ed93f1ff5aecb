import { sql } from 'kysely'
import { readTransportRates } from '../../core/deliveries/index.ts'
import { isTransport, type TransportState } from '../../core/delivery/index.ts'
import {
  actionOf,
  actionsOn,
  type Condition,
  type ConditionKind,
  type ConditionSources,
  type Finding,
  findEach,
  formatCount,
} from '../../core/findings/index.ts'
import {
  isBudget,
  listNearBudgets,
  listReached,
  type ReachedWindow,
} from '../../core/limits/index.ts'
import { listMauticProblems, listReportProblems } from '../../core/mautic/index.ts'
import { brandData } from '../../core/published/index.ts'
import { reachedLimit } from '../../core/queue/index.ts'
import { findTransportNames, type TransportTables } from '../../core/transports/index.ts'
import { noBrand, type OfBrand } from '../../kit/caller.ts'
import { dayOf, formatDate } from '../../kit/iso-date.ts'
import { maskAddresses } from '../../kit/log.ts'
import type { Storage } from '../../platform/storage/index.ts'

/** Transactional messages that wait for longer are delayed. */
const delayedMs = 15 * 60_000
/** How many of the oldest recipients are looked at. */
const oldestMax = 10_000
const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs

/** Who may have a last day to log in on (`validUntil`): its table, the column of its name, its commands and its page. */
const loginKinds = [
  ['users', 'username', 'User', 'users', 'openUser'],
  ['oauth_clients', 'name', 'OAuth client', 'clients', 'openOAuthClient'],
  ['mautics', 'name', 'Mautic', 'mautics', 'openMautic'],
] as const

/** Those of the core. */
export const coreConditions: readonly ConditionKind[] = [
  {
    check: 'transports',
    severity: 'problem',
    event: 'transport.down',
    isEventOnly: true,
    records: 'transports',
    fix: 'Its messages wait, or take the next transport. Test it to find out why.',
    command: null,
    actions: [],
    async find({ storage, listTransports }) {
      const failing = listTransports().filter(({ problem }) => problem !== undefined)
      if (failing.length === 0) return []
      const ids = failing.flatMap(({ transportId }) => transportId ?? [])
      const query = storage.tables<TransportTables>().selectFrom('transports').select('id')
      const known = query.where('is_published', '=', true).where(storage.isAmong('id', ids))
      const used = new Set<number | null>((await known.execute()).map(({ id }) => id)).add(null)
      return failing
        .filter(({ transportId }) => used.has(transportId))
        .map(({ transportId, transport, problem = '', failedAt }) => ({
          ...aboutTransport({ transportId, transport }),
          detail: `Transport ${transport} does not work: ${maskAddresses(problem)}`,
          data: { transportId, transport },
          seenAt: failedAt,
        }))
    },
  },
  {
    check: 'transports',
    severity: 'problem',
    records: 'transports',
    fix: 'Test it, and read why in its deliveries.',
    command: 'mailyard transports test ID; mailyard deliveries list --transport-id ID',
    actions: ['testTransport', 'openTransport'],
    async find({ storage }, now) {
      const to = Math.ceil(now / 60_000) * 60_000
      const rates = await readTransportRates(storage, { from: to - hourMs, to })
      const ids = rates.map(({ transportId }) => transportId)
      const names = await findTransportNames(storage, ids)
      return rates
        .flatMap(({ transportId: id, failing, faults: [fault] }) => {
          const name = isTransport(id) ? names.get(id) : 'the default transport'
          return failing === null || name === undefined ? [] : { ...failing, id, name, fault }
        })
        .sort((one, other) => other.since - one.since)
        .map(({ id, name, attempted, failed, since, fault }) => ({
          ...(isTransport(id) && { record: { id, name } }),
          detail: `${formatCount(failed)} of ${formatCount(attempted)} attempts through ${isTransport(id) ? `"${name}"` : name} failed.${fault === undefined ? '' : ` ${fault.text}`}`,
          shared: `Attempts through "${name}" failed.`,
          severity: failed === attempted ? ('problem' as const) : ('warning' as const),
          since: formatDate(since),
        }))
    },
  },
  {
    check: 'limits',
    severity: 'ok',
    event: 'limit.reached',
    records: 'limits',
    fix: 'Messages wait, or take the next transport. Raise the limit if that takes too long.',
    command: 'mailyard limits get ID',
    actions: ['openLimit'],
    async find({ storage }) {
      const conditions: Condition[] = []
      for (const { limit, window, freeAt } of await listReached(storage)) {
        const { id, name } = limit
        const waiting = await countLimited(storage, limit)
        const clause = waiting === 1 ? '1 message waits' : `${formatCount(waiting)} messages wait`
        conditions.push({
          detail: `Limit "${name}" is used up for this ${window}.${waiting === 0 ? '' : ` ${clause} for it.`}`,
          until: freeAt,
          record: { id, name },
          part: `${window} ${freeAt}`,
          severity: waiting === 0 ? 'ok' : 'warning',
          data: { limitId: id, limit: name, window, freeAt },
        })
      }
      return conditions
    },
  },
  {
    check: 'limits',
    severity: 'ok',
    event: 'budget.near',
    isOnce: true,
    records: 'limits',
    fix: 'When it is used up, messages of the brand wait or are refused. Raise it if that is too early.',
    command: 'mailyard limits get ID',
    actions: ['openLimit'],
    find: async ({ storage }) =>
      (await listNearBudgets(storage)).map(({ limit, window, max, used, until }) => {
        const { id, name, brand } = limit
        return {
          detail: `${formatCount(used)} of ${formatCount(max)} recipients of budget "${name}" are used this ${window}.`,
          until,
          record: { id, name },
          part: `${window} ${until}`,
          data: { limitId: id, limit: name, brand, window, used, max, freeAt: until },
        }
      }),
  },
  {
    check: 'delay',
    severity: 'warning',
    event: 'queue.delayed',
    fix: 'Open the queue to find out why.',
    command: 'mailyard queue list',
    actions: ['openQueue'],
    async find({ storage }, now) {
      const { rows } = await sql<{ waiting: number | string; oldest: number | null }>`
        select count(*) as waiting, min(created_at) as oldest from (
          select created_at, state, lane from queue_recipients order by id limit ${sql.lit(oldestMax)}) as first_ones
        where lane = 'transactional' and state in ('queued', 'claimed') and created_at < ${now - delayedMs}`.execute(
        storage.tables<unknown>(),
      )
      const waiting = Number(rows[0]?.waiting ?? 0)
      if (waiting === 0) return []
      const since = formatDate(Number(rows[0]?.oldest))
      const clause = waiting === 1 ? '1 message waits' : `${waiting} messages wait`
      const detail = `${clause} for more than 15 minutes.`
      return [{ detail, since, data: { waiting, oldestAt: since } }]
    },
  },
  {
    check: 'Mautic',
    severity: 'problem',
    event: 'mautic.unreachable',
    records: 'mautics',
    fix: 'What is known stays in force. Check the connection to find out why.',
    command: 'mailyard mautics check ID',
    actions: ['openMautic'],
    find: async ({ storage }) =>
      (await listMauticProblems(storage, 'mautic_states')).map(({ id, name, problem, since }) => ({
        detail: `The Mautic "${name}" has a problem: ${problem}`,
        since,
        record: { id, name },
        data: { mauticId: id, mautic: name },
      })),
  },
  {
    check: 'Mautic',
    severity: 'problem',
    records: 'mautics',
    fix: 'Until it works, additions to the Do not contact list are taken over within a minute, and removals within an hour. Create it again.',
    command: 'mailyard mautics create-webhook ID',
    actions: ['createMauticWebhook', 'openMautic'],
    find: async ({ storage }) =>
      (await listMauticProblems(storage, 'mautic_webhooks')).map(
        ({ id, name, problem, since }) => ({
          detail: `The webhook of "${name}" has a problem: ${problem}`,
          since,
          record: { id, name },
        }),
      ),
  },
  {
    check: 'Mautic',
    severity: 'warning',
    records: 'mautics',
    fix: 'They are sent again and again. Find out why Mautic refuses them.',
    command: 'mailyard mautics list-reports ID --state queued',
    actions: ['openMautic'],
    find: async ({ storage }) =>
      (await listReportProblems(storage)).map(({ id, name, reports, problem }) => ({
        detail: `"${name}" does not accept ${reports === 1 ? 'a report' : `${reports} reports`} for its Do not contact list: ${problem}`,
        record: { id, name },
      })),
  },
  // From a week before the last day to a week after it.
  ...loginKinds.map(
    ([table, nameColumn, noun, commands, action]): ConditionKind => ({
      check: 'log-ins',
      severity: 'warning',
      // A user may have several brands.
      ...(table !== 'users' && { records: table }),
      fix: 'Set a later last day (validUntil), or none, if the log-in is still needed.',
      command: `mailyard ${commands} edit ID --valid-until DAY`,
      actions: [action],
      async find({ storage }, now) {
        const { rows } = await sql<{ id: number; name: string; lastDay: string }>`
          select id, ${sql.ref(nameColumn)} as name, valid_until as "lastDay" from ${sql.table(table)}
          where is_published and valid_until between ${dayOf(now - weekMs)} and ${dayOf(now + weekMs)}
          order by valid_until, id`.execute(storage.tables<unknown>())
        return rows.map(({ id, name, lastDay }) => ({
          detail: `${noun} "${name}" ${lastDay < dayOf(now) ? 'could' : 'can'} log in until ${lastDay}.`,
          record: { id, name },
        }))
      },
    }),
  ),
]

/** What tells a transport from others; the default has no id. */
export function aboutTransport({
  transportId: id,
  transport: name,
}: Pick<TransportState, 'transportId' | 'transport'>): Pick<Condition, 'record' | 'part'> {
  return id === null ? { part: 'default' } : { record: { id, name } }
}

/** Counts the messages that wait, or will wait, for more than an hour because a limit of their transport or brand is reached. */
async function countLimited(storage: Storage, limit: ReachedWindow['limit']): Promise<number> {
  const isLimited = isBudget(limit)
    ? sql`brand_id = ${limit.brand}`
    : storage.isAmong('transport_id', limit.transports)
  const { rows } = await sql<{ waiting: number | string }>`select count(*) as waiting from (
    select 1 from queue_recipients where waits_for = ${sql.lit(reachedLimit)} and ${isLimited}
      and due_at > created_at + ${sql.lit(hourMs)} limit ${sql.lit(oldestMax)}) as limited`.execute(
    storage.tables<unknown>(),
  )
  return Number(rows[0]?.waiting)
}

/** Finds the brands of records; those without one are left out. */
export async function findBrands(
  storage: Storage,
  table: ConditionKind['records'],
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (table === undefined || ids.length === 0) return new Map()
  const records = storage.tables<Record<string, OfBrand & { id: number }>>().selectFrom(table)
  const known = records.select(['id', 'brand_id']).where(storage.isAmong('id', ids))
  const rows = await known.where('brand_id', '<>', noBrand).execute()
  return new Map(rows.map(({ id, brand_id: brand }) => [id, brand]))
}

type BrandedCondition = Condition & { brand: number }

/** Finds what goes on of one kind, and whose it is. */
export async function findConditions(
  { find, records }: ConditionKind,
  sources: ConditionSources,
  now: number,
): Promise<BrandedCondition[]> {
  const conditions = await find(sources, now)
  const ids = conditions.flatMap(({ record }) => record?.id ?? [])
  const brands = await findBrands(sources.storage, records, ids)
  const brandOf = ({ record }: Condition) => brands.get(record?.id ?? 0) ?? noBrand
  return conditions.map((each) => ({ ...each, brand: brandOf(each) }))
}

/** Finds what goes on: of each kind the first ones, and how many others there are. */
export async function examineConditions(
  kinds: readonly ConditionKind[],
  sources: ConditionSources,
  now: number,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const kind of kinds) {
    const { check, fix, command, actions, isEventOnly } = kind
    if (isEventOnly) continue
    const describe = (condition: BrandedCondition): Finding => {
      const { severity = kind.severity, record, brand, detail, shared } = condition
      return {
        check,
        ...brandData(brand),
        severity,
        detail,
        ...(shared === undefined ? {} : { shared }),
        since: condition.since ?? null,
        until: condition.until ?? null,
        fix,
        command,
        actions: actions.flatMap((action) =>
          action === 'openQueue' ? actionOf(action) : actionsOn(action, record ? [record] : []),
        ),
      }
    }
    findings.push(...findEach(await findConditions(kind, sources, now), describe))
  }
  return findings
}
