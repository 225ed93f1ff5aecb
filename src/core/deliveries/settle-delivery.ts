import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, owns } from '../../kit/caller.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { AttemptOutcome, DeliveryRow, DeliveryTables } from '../delivery/index.ts'
import { type DeliveryReference, findKeys, releaseKeys } from '../delivery/index.ts'

/** What an operator may decide: the message arrived, or it did not and may be sent again. */
export const settledOutcomes = ['accepted', 'deferred'] as const satisfies readonly AttemptOutcome[]
export type SettledOutcome = (typeof settledOutcomes)[number]

/** Called in the transaction in which an operator settles an uncertain delivery, with the keys that it had before. */
export type OnSettled = (
  tx: Transaction<DeliveryTables>,
  delivery: DeliveryRow & { keys: readonly string[] },
  outcome: SettledOutcome,
) => Promise<void>

export interface SettleHooks {
  onSettled: OnSettled
  /** Called after the transaction: messages may be due. */
  onCommitted?: () => void
}

/** Throws an AppError (`not_found`), also for a delivery of another brand than those of the caller. */
export async function getDelivery(
  db: Kysely<DeliveryTables>,
  id: number,
  caller: Caller,
): Promise<DeliveryRow> {
  const query = db.selectFrom('deliveries').selectAll().where('id', '=', id)
  const row = await query.executeTakeFirst()
  if (row === undefined || !owns(caller, row.brand_id))
    throw new AppError('not_found', 'delivery_not_found', 'Delivery not found')
  return row
}

/** Creates the function that settles one delivery of a caller. A power failure may undo it until the next flush. */
export function createSettle(storage: Storage, { onSettled, onCommitted }: SettleHooks) {
  const db = storage.tables<DeliveryTables>()
  return async (id: number, outcome: SettledOutcome, caller: Caller): Promise<DeliveryRow> => {
    const { started_at: startedAt } = await getDelivery(db, id, caller)
    const reason = `An operator settled it as ${outcome}.`
    const work = (tx: Transaction<DeliveryTables>) =>
      settleIn(tx, { id, started_at: startedAt }, { outcome, reason, onSettled })
    const settled = await storage.transaction(work, { isFlushDeferred: true })
    if (settled === undefined) throw notUncertain()
    onCommitted?.()
    return settled
  }
}

/** Settles an uncertain delivery in a transaction. Returns undefined if it is not uncertain. */
export async function settleIn(
  tx: Transaction<DeliveryTables>,
  { id, started_at: startedAt }: DeliveryReference,
  settlement: { outcome: SettledOutcome; reason: string } & Pick<SettleHooks, 'onSettled'>,
): Promise<DeliveryRow | undefined> {
  const { outcome, reason, onSettled } = settlement
  const row = await tx
    .updateTable('deliveries')
    .set({ outcome, reason })
    .where('id', '=', id)
    .where('started_at', '=', startedAt)
    .where('outcome', '=', 'uncertain')
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return undefined
  const keys = await findKeys(tx, row)
  if (outcome === 'deferred') await releaseKeys(tx, [row])
  await onSettled(tx, { ...row, keys }, outcome)
  return row
}

function notUncertain(): AppError {
  const message = 'Only an uncertain delivery can be settled; the outcome of this one is known.'
  return new AppError('conflict', 'delivery_not_uncertain', message)
}
