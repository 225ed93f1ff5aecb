import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Storage } from '../../storage/index.ts'
import { openNameLookup, transportNameAmbiguous } from '../../transports/index.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import { type DeliveryItem, presentDelivery } from './delivery-item.ts'
import type { DeliveryQuery } from './delivery-query.ts'
import { countDeliveries, listDeliveries } from './list-deliveries.ts'

/** A page of deliveries, the newest first. */
export interface DeliveryPage {
  deliveries: DeliveryItem[]
  /** What `before` of the next page is; null where there is no more. */
  next: number | null
  /** How many there are; null where there are more than 10,000, or counting would take long. */
  total?: number | null
}

/** What was delivered, and what was not. */
export interface Deliveries {
  /** Throws an AppError (`invalid`) where several transports have the name that the query gives. */
  list(query: DeliveryQuery, options: { isCounted: boolean }): Promise<DeliveryPage>
  /** Throws an AppError (`not_found`). */
  get(id: number): Promise<DeliveryItem>
  /**
   * An operator says what became of an uncertain delivery. Refused, it may be handed in again; one of a
   * job goes back to its queue. Throws an AppError (`conflict`) where it is not uncertain.
   */
  settle(id: number, outcome: 'accepted' | 'refused'): Promise<DeliveryItem>
}

/** Told, in the transaction, of an uncertain delivery that an operator has decided about. */
export type OnSettled = (
  tx: Transaction<DeliveryTables>,
  delivery: DeliveryRow,
  outcome: 'accepted' | 'refused',
) => Promise<void>

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
  const getRow = async (id: number) => {
    const row = await db
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    if (row === undefined)
      throw new AppError('not_found', 'delivery_not_found', 'Delivery not found')
    return row
  }
  return {
    async list(query, { isCounted }) {
      await checkTransport(query)
      const { rows, next } = await listDeliveries(storage, query)
      const page = { deliveries: rows.map(presentDelivery), next }
      if (!isCounted) return page
      return { ...page, total: (await countDeliveries(storage, query)) ?? null }
    },
    get: async (id) => presentDelivery(await getRow(id)),
    async settle(id, outcome) {
      await getRow(id)
      const keys = outcome === 'refused' ? { message_key: null, bulk_key: null } : {}
      const reason = `An operator decided: ${outcome}.`
      const settled = await storage.transaction(async (tx: Transaction<DeliveryTables>) => {
        const row = await tx
          .updateTable('deliveries')
          .set({ outcome, reason, is_permanent: false, ...keys })
          .where('id', '=', id)
          .where('outcome', '=', 'uncertain')
          .returningAll()
          .executeTakeFirst()
        if (row !== undefined) await onSettled(tx, row, outcome)
        return row
      })
      if (settled === undefined) throw notUncertain()
      return presentDelivery(settled)
    },
  }
}

function notUncertain(): AppError {
  const message = 'Only what is uncertain can be decided; what became of this delivery is known.'
  return new AppError('conflict', 'delivery_not_uncertain', message)
}
