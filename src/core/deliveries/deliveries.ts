import type { Kysely, Transaction } from 'kysely'
import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import { pause } from '../../kit/pause.ts'
import { suggest } from '../../kit/suggest.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { DeliveryReference, DeliveryRow, DeliveryTables } from '../delivery/index.ts'
import {
  openNameLookup,
  type TransportTables,
  transportNameAmbiguous,
} from '../transports/index.ts'
import { listEvents } from './delivery-event-item.ts'
import { type DeliveryItem, presentDelivery } from './delivery-item.ts'
import { type DeliveryQuery, warnOfWholeAddresses } from './delivery-query.ts'
import { countDeliveries, type DeliveryReads, listDeliveries } from './list-deliveries.ts'
import { findMauticNames } from './mautic-names.ts'
import { findAttempts, findOtherRecipients } from './message-attempts.ts'
import {
  createSettle,
  deliveryNotFound,
  getDelivery,
  type SettledOutcome,
  type SettleHooks,
  settleIn,
} from './settle-delivery.ts'
import { findLinks, type HasCaptured } from './shown-with.ts'

/** The transports whose names are compared with an unknown one. */
const suggestedMax = 1_000

/** Who lists deliveries, and whether they are counted. */
export interface ListOptions {
  isCounted: boolean
  /** The key of the caller. */
  owner: string
}

interface DeliveriesHooks extends SettleHooks {
  hasCaptured: HasCaptured
}

/** The deliveries that the API lists. */
export type Deliveries = ReturnType<typeof openDeliveries>

export function openDeliveries(storage: Storage, hooks: DeliveriesHooks) {
  const db = storage.tables<DeliveryTables>()
  const checkTransport = createCheckTransport(storage)
  const settleOne = createSettle(storage, hooks)
  const present = async (rows: readonly DeliveryRow[]): Promise<DeliveryItem[]> => {
    const names = await findMauticNames(storage, rows)
    return rows.map((row) => presentDelivery(row, names))
  }
  const openReads = (owner: string) => ({
    ...storage.lists<DeliveryTables>(owner),
    storage,
  })
  return {
    /**
     * Returns a page, the newest first, and what continues it. With `isCounted`, `total` is null above 10,000, or where no index
     * can count. Throws an AppError (`invalid`) if several transports have the name in the query.
     */
    async list(query: DeliveryQuery, { isCounted, owner }: ListOptions) {
      const warnings = await checkTransport(query)
      const reads = openReads(owner)
      const { rows, last } = await listDeliveries(reads, query)
      const isEmpty = rows.length === 0 && query.after === undefined && query.start === 0
      if (isEmpty) warnings.push(...warnOfWholeAddresses(query))
      const page = {
        deliveries: await present(rows),
        next: last?.id ?? null,
        ...(warnings.length === 0 ? {} : { warnings }),
      }
      if (!isCounted) return page
      return { ...page, total: (await countDeliveries(reads, query)) ?? null }
    },
    /** Yields the deliveries of a query in pages of its limit, for `rowsMax` of them. Throws as `list`. */
    async *pages(query: DeliveryQuery & { rowsMax: number }, owner: string) {
      await checkTransport(query)
      for await (const rows of readPages(openReads(owner), query)) yield await present(rows)
    },
    /** How many uncertain deliveries wait for a decision; counts up to `limit`. */
    countUncertain: (limit: number) => countUncertain(db, limit),
    /**
     * Returns a delivery with what belongs to its message. Throws an AppError (`not_found`), with `mauticId` also for a delivery
     * that did not come from this Mautic.
     */
    async get(id: number, mauticId?: number) {
      const row = await getDelivery(db, id)
      if ((mauticId ?? row.mautic_id) !== row.mautic_id) throw deliveryNotFound()
      const attempts = await findAttempts(db, row)
      return {
        delivery: presentDelivery(row, await findMauticNames(storage, [row])),
        /** The attempts to send the message to this recipient, the oldest first. */
        attempts: await present(attempts.length === 0 ? [row] : attempts),
        /** The other recipients of this attempt. */
        recipients: await present(await findOtherRecipients(db, row)),
        links: await findLinks(storage, row, hooks.hasCaptured),
        events: await listEvents(db, row),
      }
    },
    /**
     * Settles an uncertain delivery. If it is refused, the message may be submitted again, and its recipient in
     * the queue is sent to again. Throws an AppError (`conflict`) if the delivery is not uncertain.
     */
    async settle(id: number, outcome: SettledOutcome) {
      const settled = await settleOne(id, outcome)
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
    async settleMany(ids: readonly number[], outcome: SettledOutcome) {
      const results: BatchItemResult<DeliveryItem>[] = []
      for (const id of ids) {
        results.push(await runItem(() => settleOne(id, outcome)))
        await pause()
      }
      await storage.flush()
      return results
    },
  }
}

/**
 * Creates the check of the transport in a query. It throws an AppError (`invalid`) if several transports have the name, and
 * returns a warning if none has it now: earlier deliveries may have it.
 */
function createCheckTransport(storage: Storage) {
  const findByName = openNameLookup(storage)
  return async ({ transport: name }: DeliveryQuery): Promise<string[]> => {
    if (name === undefined || name.trim().toLowerCase() === 'default') return []
    const named = await findByName(name, null)
    const ids = named.map(({ id }) => id)
    if (ids.length > 1) throw transportNameAmbiguous(name, ids)
    if (ids.length === 1) return []
    const db = storage.tables<TransportTables>()
    const rows = await db.selectFrom('transports').select('name').limit(suggestedMax).execute()
    const meant = suggest(
      name,
      rows.map((row) => row.name),
    )
    const unknown = `No transport is named "${name}" now, so only deliveries of one that had this name are found.`
    return [meant === undefined ? unknown : `${unknown} ${meant}`]
  }
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
