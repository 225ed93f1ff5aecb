import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, mayUse, noBrand, type OfBrand, owns, sees } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { validationError } from '../../platform/http/index.ts'
import {
  brandAccess,
  type ListExtra,
  openResource,
  type Released,
  type Resource,
} from '../../platform/resource/index.ts'
import { limitsChannel, openRecordStore, type Storage } from '../../platform/storage/index.ts'
import { findTransportBrands, type Transports } from '../transports/index.ts'
import { readUsage } from './remaining.ts'
import {
  connectionsKeyOf,
  isBudget,
  rateKeyPrefix,
  readTransports,
  toLimit,
  usageKeyOf,
} from './rules.ts'
import { type LimitInput, type LimitItem, limitFields, limitRecord, usageSchema } from './schema.ts'
import type { LimitRow, LimitTables } from './table.ts'

export interface LimitsOptions {
  storage: Storage
  clock: Clock
  transports: Pick<Transports, 'dependents'>
}

/** The limits of provider accounts. */
export interface Limits extends Resource<LimitRow, LimitItem, LimitInput> {
  /** What is used of limits, in the order of the ids. */
  usage: ListExtra
}

export function openLimits({ storage, clock, transports }: LimitsOptions): Limits {
  transports.dependents.add('limits', { release: releaseTransport, restore: restoreTransport })
  const store = openRecordStore<LimitRow>(storage, {
    table: 'limits',
    nameColumn: 'name',
    fields: limitFields,
  })
  const access = brandAccess<LimitRow, LimitInput>({ label: 'Limit', storage })
  const resource = openResource<LimitRow, LimitItem, LimitInput>({
    clock,
    store,
    area: 'multipleTransports',
    notFound: limitNotFound,
    access: {
      ...access,
      checkChangeable(row, caller) {
        access.checkChangeable(row, caller)
        checkBudget(toLimit(row), caller)
      },
    },
    findFaults,
    toInput: limitRecord.toValues,
    prepare: ({ input, caller }) => {
      const scope = { brand: input.brand ?? noBrand, transports: input.transports ?? [] }
      const faults = { ...findFaults(input), ...(isBudget(scope) && findBudgetFaults(input)) }
      if (Object.keys(faults).length > 0) throw validationError(faults)
      if (!rates.some((name) => (input[name] ?? null) !== null)) throw nothingLimited()
      checkBudget(scope, caller)
      return { columns: limitRecord.toColumns(input) }
    },
    async present(rows, caller) {
      const items = rows.map((row) => limitRecord.present(row, {}))
      if (caller.brands === 'all') return items
      const ids = items.flatMap((item) => item.transports)
      const brands = await findTransportBrands(ids, storage.tables())
      const isSeen = (id: number) => sees(caller, brands.get(id) ?? noBrand)
      return items.map((item) => ({ ...item, transports: item.transports.filter(isSeen) }))
    },
    hooks: {
      async beforeWrite(tx, { columns, current }) {
        const isKept = current?.brand_id === columns.brand_id
        const kept = isKept ? readTransports(current) : []
        const ids = readTransports(columns).filter((id) => !kept.includes(id))
        const brands = await findTransportBrands(ids, tx)
        const missing = ids.filter((id) => {
          const brand = brands.get(id)
          return brand === undefined || !mayUse(columns, brand)
        })
        if (missing.length > 0) throw transportsNotFound(missing, columns)
      },
      async beforeRemove(tx, { current }) {
        const usage = tx.withTables<LimitTables>().deleteFrom('limit_usage')
        const keys = [usageKeyOf(current.id), connectionsKeyOf(current.id)]
        await usage.where('key', 'in', keys).execute()
        return undefined
      },
      afterCommit: () => storage.notify(limitsChannel),
    },
  })
  const findUsage = async (ids: readonly number[], caller: Caller) => {
    const limits = (await store.findMany(ids)).filter((row) => owns(caller, row.brand_id))
    const usages = await Promise.all(limits.map((row) => readUsage(storage, row)))
    const byId = new Map(limits.map(({ id }, index) => [id, usages[index]]))
    return ids.map((id) => byId.get(id))
  }
  return {
    ...resource,
    async get(id, caller) {
      const entry = await resource.get(id, caller)
      const [usage] = await findUsage([id], caller)
      return usage === undefined ? entry : { ...entry, item: { ...entry.item, usage } }
    },
    usage: { schema: usageSchema, find: findUsage },
  }
}

/** Removes a transport that is being deleted from all limits. `related` has the ids of these limits. */
async function releaseTransport(id: number, tx: Transaction<object>): Promise<Released> {
  const db = tx.withTables<LimitTables>()
  const query = db.selectFrom('limits').select(['id', 'transports', 'brand_id'])
  const all = await query.orderBy('id').forUpdate().execute()
  const left = (row: (typeof all)[number]) => readTransports(row).filter((each) => each !== id)
  const rows = all.filter((row) => {
    const isMember = readTransports(row).includes(id)
    // One of a brand keeps its last transport: without one, it would limit all messages of the brand.
    return isMember && !isBudget({ brand: row.brand_id, transports: left(row) })
  })
  for (const row of rows) {
    const transports = JSON.stringify(left(row))
    await db.updateTable('limits').set({ transports }).where('id', '=', row.id).execute()
  }
  const usage = db.deleteFrom('limit_usage').where('key', 'like', `${rateKeyPrefix(id)}%`)
  await usage.execute()
  if (rows.length === 0) return {}
  const one = rows.length === 1
  const consequence = {
    planned: one ? '1 limit loses it.' : `${rows.length} limits lose it.`,
    done: `It was removed from ${one ? '1 limit' : `${rows.length} limits`}.`,
  }
  return {
    consequence,
    related: rows.map((row) => row.id),
  }
}

/**
 * Adds a restored transport to the limits that `releaseTransport` removed it from. Returns what could not be restored, as
 * sentences.
 */
async function restoreTransport(
  id: number,
  related: unknown,
  tx: Transaction<object>,
): Promise<string[]> {
  const ids = (related ?? []) as number[]
  if (ids.length === 0) return []
  const db = tx.withTables<LimitTables>()
  const query = db.selectFrom('limits').select(['id', 'transports']).where('id', 'in', ids)
  const rows = await query.orderBy('id').forUpdate().execute()
  for (const row of rows) {
    const members = [...new Set([...readTransports(row), id])].sort((one, other) => one - other)
    const transports = JSON.stringify(members)
    await db.updateTable('limits').set({ transports }).where('id', '=', row.id).execute()
  }
  const restoredIds = new Set(rows.map((row) => row.id))
  const missing = ids.filter((each) => !restoredIds.has(each))
  return missing.length === 0
    ? []
    : [`It was a member of limits that are deleted: ${missing.join(', ')}.`]
}

const rates = [
  'perSecond',
  'perMinute',
  'perHour',
  'perDay',
  'perMonth',
  'warmUp',
  'connectionsMax',
] as const

/** The schema finds all other faults. */
function findFaults({ warmUp }: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const { startDate } = (warmUp ?? {}) as { startDate?: unknown }
  const isDate = (text: string) => new Date(text).toJSON()?.startsWith(text) === true
  if (typeof startDate !== 'string' || isDate(startDate)) return {}
  return {
    warmUp: [`must start on a date, such as 2026-01-31; "${startDate.slice(0, 20)}" is none`],
  }
}

/** Throws an AppError (`forbidden`) for callers with brands: they would raise what they may send. */
function checkBudget(limit: Parameters<typeof isBudget>[0], { brands }: Caller): void {
  if (brands === 'all' || !isBudget(limit)) return
  const message =
    'A limit with a brand and no transports is the budget of this brand. Only who has all brands may create and change it. Name the transports that your limit is for.'
  throw new AppError('forbidden', 'budget_forbidden', message)
}

/** Finds what a budget does not have, because it counts through all transports. */
function findBudgetFaults(input: LimitInput): Record<string, string[]> {
  const { overflow, connectionsMax = null, warmUp = null } = input
  const fault = ['is for limits of transports: a budget counts through all of them']
  return {
    ...(overflow === 'next' && { overflow: fault }),
    ...(connectionsMax !== null && { connectionsMax: fault }),
    ...(warmUp !== null && { warmUp: fault }),
  }
}

const limitNotFound = () => new AppError('not_found', 'limit_not_found', 'Limit not found')

const nothingLimited = () =>
  validationError({ perSecond: [`is missing: give at least one of ${rates.join(', ')}`] })

function transportsNotFound(ids: readonly number[], { brand_id: brand }: OfBrand): AppError {
  const shown = ids.slice(0, 10).join(', ')
  const more = ids.length > 10 ? ', …' : ''
  const hint = brand === noBrand ? '' : '. A limit of a brand is for transports of this brand.'
  const message = `Transport not found: ${shown}${more}${hint}`
  return new AppError('not_found', 'transport_not_found', message)
}
