import type { Kysely, Transaction } from 'kysely'
import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { pause } from '../../kit/pause.ts'
import { suggest } from '../../kit/suggest.ts'
import { seenBy } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { DeliveryReference, DeliveryRow, DeliveryTables } from '../delivery/index.ts'
import type { RouteStep } from '../routing/index.ts'
import { type TransportTables, transportNameAmbiguous } from '../transports/index.ts'
import { listEvents } from './delivery-event-item.ts'
import { type DeliveryItem, presentDelivery } from './delivery-item.ts'
import { type DeliveryQuery, visibleBrands, warnOfWholeAddresses } from './delivery-query.ts'
import { countDeliveries, type DeliveryReads, listDeliveries } from './list-deliveries.ts'
import { findMauticNames } from './mautic-names.ts'
import { findAttempts, findOtherRecipients } from './message-attempts.ts'
import {
  createSettle,
  getDelivery,
  type SettledOutcome,
  type SettleHooks,
  settleIn,
} from './settle-delivery.ts'
import { findLinks, type HasCaptured } from './shown-with.ts'

/** The transports whose names are compared with an unknown one. */
const suggestedMax = 1_000
/** As many as an error message lists. */
const sameNameMax = 11

/** Who lists deliveries, and whether they are counted. */
export interface ListOptions {
  isCounted: boolean
  caller: Caller
}

interface DeliveriesHooks extends SettleHooks {
  hasCaptured: HasCaptured
}

/** The deliveries that the API lists. */
export type Deliveries = ReturnType<typeof openDeliveries>

export function openDeliveries(storage: Storage, hooks: DeliveriesHooks) {
  const db = storage.tables<DeliveryTables>()
  const settleRow = createSettle(storage, hooks)
  const present = (rows: readonly DeliveryRow[], caller: Caller) =>
    presentDeliveries(storage, rows, caller)
  const settleOne = async (id: number, outcome: SettledOutcome, caller: Caller) => {
    const [settled] = await present([await settleRow(id, outcome, caller)], caller)
    return settled as DeliveryItem
  }
  const openReads = (caller: Caller) => ({
    ...storage.lists<DeliveryTables>(callerKey(caller)),
    storage,
  })
  return {
    /**
     * Returns a page of what the caller may see, the newest first, and what continues it. With `isCounted`, `total` is null above
     * 10,000, or where no index can count. Throws an AppError (`invalid`) if several transports have the name in the query.
     */
    async list(asked: DeliveryQuery, { isCounted, caller }: ListOptions) {
      const query = { ...asked, brands: visibleBrands(caller, asked.brands) }
      const warnings = await checkTransport(storage, query, caller)
      const reads = openReads(caller)
      const { rows, last } = await listDeliveries(reads, query)
      const isEmpty = rows.length === 0 && query.after === undefined && query.start === 0
      if (isEmpty) warnings.push(...warnOfWholeAddresses(query))
      const page = {
        deliveries: await present(rows, caller),
        next: last?.id ?? null,
        ...(warnings.length === 0 ? {} : { warnings }),
      }
      if (!isCounted) return page
      return { ...page, total: (await countDeliveries(reads, query)) ?? null }
    },
    /** Yields the deliveries of a query in pages of its limit, for `rowsMax` of them. Throws as `list`. */
    async *pages(asked: DeliveryQuery & { rowsMax: number }, caller: Caller) {
      const query = { ...asked, brands: visibleBrands(caller, asked.brands) }
      await checkTransport(storage, query, caller)
      for await (const rows of readPages(openReads(caller), query))
        yield await present(rows, caller)
    },
    /** How many uncertain deliveries wait for a decision; counts up to `limit`. */
    countUncertain: (limit: number) => countUncertain(db, limit),
    /** Returns a delivery with what belongs to its message. Throws as `getDelivery`. */
    async get(id: number, caller: Caller) {
      const row = await getDelivery(db, id, caller)
      const found = await findAttempts(db, row, caller)
      const attempts = found.length === 0 ? [row] : found
      const others = await findOtherRecipients(db, row, caller)
      const items = await present([row, ...attempts, ...others], caller)
      return {
        delivery: items[0] as DeliveryItem,
        /** The attempts to send the message to this recipient, the oldest first. */
        attempts: items.slice(1, 1 + attempts.length),
        /** The other recipients of this attempt. */
        recipients: items.slice(1 + attempts.length),
        links: await findLinks(storage, row, { hasCaptured: hooks.hasCaptured, reader: caller }),
        events: await listEvents(db, row),
      }
    },
    /**
     * Settles an uncertain delivery. If it is refused, the message may be submitted again, and its recipient in
     * the queue is sent to again. Throws an AppError (`conflict`) if the delivery is not uncertain, and as `getDelivery`.
     */
    async settle(id: number, outcome: SettledOutcome, caller: Caller) {
      const settled = await settleOne(id, outcome, caller)
      await storage.flush()
      return settled
    },
    /**
     * Settles uncertain deliveries as accepted, in a transaction: a provider has said what happened to them. Call
     * `noteConfirmed` after the commit.
     */
    async confirm(tx: Transaction<DeliveryTables>, references: readonly DeliveryReference[]) {
      const reason = 'The provider has reported what happened to it afterwards.'
      const { onSettled } = hooks
      for (const reference of references)
        await settleIn(tx, reference, { outcome: 'accepted', reason, onSettled })
    },
    noteConfirmed: () => hooks.onCommitted?.(),
    /** Settles some of them as `settle` does, each by itself. */
    async settleMany(ids: readonly number[], outcome: SettledOutcome, caller: Caller) {
      const results: BatchItemResult<DeliveryItem>[] = []
      for (const id of ids) {
        results.push(await runItem(() => settleOne(id, outcome, caller)))
        await pause()
      }
      await storage.flush()
      return results
    },
  }
}

/**
 * Checks the transport in a query among those that the caller sees. Throws an AppError (`invalid`) if several have the name, and
 * returns a warning if none has it now: earlier deliveries may have it.
 */
async function checkTransport(
  storage: Storage,
  { transport: name }: DeliveryQuery,
  caller: Caller,
): Promise<string[]> {
  if (name === undefined || name.trim().toLowerCase() === 'default') return []
  const seen = storage.tables<TransportTables>().selectFrom('transports').where(seenBy(caller))
  const named = seen.select('id').where('name_key', '=', nameKey(name)).orderBy('id')
  const ids = (await named.limit(sameNameMax).execute()).map(({ id }) => id)
  if (ids.length > 1) throw transportNameAmbiguous(name, ids)
  if (ids.length === 1) return []
  const rows = await seen.select('name').limit(suggestedMax).execute()
  const meant = suggest(
    name,
    rows.map((row) => row.name),
  )
  const unknown = `No transport is named "${name}" now, so only deliveries of one that had this name are found.`
  return [meant === undefined ? unknown : `${unknown} ${meant}`]
}

/** Returns what the API shows of deliveries to a caller. */
export async function presentDeliveries(
  storage: Storage,
  rows: readonly DeliveryRow[],
  caller: Caller,
): Promise<DeliveryItem[]> {
  const names = await findMauticNames(storage, rows, caller)
  const items = rows.map((row) => presentDelivery(row, names))
  return hideSteps(storage, items, caller)
}

/** Leaves out of traces what they say of transports that the caller does not see; not that of the delivery itself. */
async function hideSteps(
  storage: Storage,
  items: readonly DeliveryItem[],
  caller: Caller,
): Promise<DeliveryItem[]> {
  const others = items.flatMap(({ trace, transportId }) =>
    trace.flatMap(({ transport }) => (transport?.id === transportId ? [] : (transport?.id ?? []))),
  )
  if (caller.brands === 'all' || others.length === 0) return [...items]
  const query = storage.tables<TransportTables>().selectFrom('transports').select('id')
  const seen = await query.where(storage.isAmong('id', others)).where(seenBy(caller)).execute()
  const ids = new Set(seen.map(({ id }) => id))
  const isShown = ({ transport }: RouteStep, own: number | null) =>
    transport === null || transport.id === own || ids.has(transport.id)
  return items.map((item) => ({
    ...item,
    trace: item.trace.filter((step) => isShown(step, item.transportId)),
  }))
}

async function* readPages(
  reads: DeliveryReads,
  { rowsMax, ...query }: DeliveryQuery & { rowsMax: number },
): AsyncGenerator<DeliveryRow[]> {
  let { after } = query
  for (let left = rowsMax; left > 0; ) {
    const { rows, last } = await listDeliveries(reads, { ...query, after })
    const page = rows.slice(0, left)
    left -= page.length
    yield page
    if (last === undefined) return
    after = last.id
    await pause()
  }
}

async function countUncertain(db: Kysely<DeliveryTables>, limit: number): Promise<number> {
  const some = db.selectFrom('deliveries').select('id').where('outcome', '=', 'uncertain')
  const count = db.selectFrom(some.limit(limit).as('some')).select(db.fn.countAll().as('count'))
  return Number((await count.executeTakeFirstOrThrow()).count)
}
