import { type BatchItemResult, runItem } from '../../kit/batch-item-result.ts'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import { openNameLookup, transportNameAmbiguous } from '../../transports/index.ts'
import type { DeliveryTables } from '../table.ts'
import { type DeliveryItem, presentDelivery } from './delivery-item.ts'
import type { DeliveryQuery } from './delivery-query.ts'
import { countDeliveries, listDeliveries } from './list-deliveries.ts'
import { findAttempts, findOtherRecipients } from './message-attempts.ts'
import {
  createSettle,
  getDelivery,
  type OnSettled,
  type SettledOutcome,
} from './settle-delivery.ts'

/** A page of deliveries, the newest first. */
export interface DeliveryPage {
  deliveries: DeliveryItem[]
  /** The value of `before` for the next page; null at the end. */
  next: number | null
  /** The number of deliveries; null above 10,000, or where no index can count them. */
  total?: number | null
}

/** A delivery with what belongs to its message. */
export interface DeliveryDetails {
  delivery: DeliveryItem
  /** The attempts to send the message to this recipient, the oldest first. */
  attempts: DeliveryItem[]
  /** The other recipients of this attempt. */
  recipients: DeliveryItem[]
}

/** The deliveries that the API lists. */
export interface Deliveries {
  /** Throws an AppError (`invalid`) if several transports have the name in the query. */
  list(query: DeliveryQuery, options: { isCounted: boolean }): Promise<DeliveryPage>
  /** How many uncertain deliveries wait for a decision; counts up to `limit`. */
  countUncertain(limit: number): Promise<number>
  /** Throws an AppError (`not_found`). */
  get(id: number): Promise<DeliveryDetails>
  /**
   * Settles an uncertain delivery. If it is refused, the message may be submitted again, and a recipient of a broadcast
   * goes back to its queue. Throws an AppError (`conflict`) if the delivery is not uncertain.
   */
  settle(id: number, outcome: SettledOutcome): Promise<DeliveryItem>
  /** Settles some of them as `settle` does, each by itself. */
  settleMany(
    ids: readonly number[],
    outcome: SettledOutcome,
  ): Promise<BatchItemResult<DeliveryItem>[]>
}

export function openDeliveries(storage: Storage, onSettled: OnSettled): Deliveries {
  const db = storage.tables<DeliveryTables>()
  const findByName = openNameLookup(storage)
  const checkTransport = async ({ transport: name }: DeliveryQuery) => {
    const found = name === undefined ? [] : await findByName(name)
    if (name === undefined || found.length < 2) return
    throw transportNameAmbiguous(
      name,
      found.map(({ id }) => id),
    )
  }
  const settleOne = createSettle(storage, onSettled)
  return {
    async list(query, { isCounted }) {
      await checkTransport(query)
      const { rows, next } = await listDeliveries(storage, query)
      const page = { deliveries: rows.map(presentDelivery), next }
      if (!isCounted) return page
      return { ...page, total: (await countDeliveries(storage, query)) ?? null }
    },
    async countUncertain(limit) {
      const some = db.selectFrom('deliveries').select('id').where('outcome', '=', 'uncertain')
      const count = db.selectFrom(some.limit(limit).as('some')).select(db.fn.countAll().as('count'))
      return Number((await count.executeTakeFirstOrThrow()).count)
    },
    async get(id) {
      const row = await getDelivery(db, id)
      return {
        delivery: presentDelivery(row),
        attempts: (await findAttempts(db, row)).map(presentDelivery),
        recipients: (await findOtherRecipients(db, row)).map(presentDelivery),
      }
    },
    async settle(id, outcome) {
      const settled = await settleOne(id, outcome)
      await storage.flush()
      return settled
    },
    async settleMany(ids, outcome) {
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
