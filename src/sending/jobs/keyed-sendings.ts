import type { Kysely, Transaction } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import type { Storage } from '../../storage/index.ts'
import { jobKeyOf, keyUsed, messageKeyOf } from '../idempotency.ts'
import type { DeliveryTables } from '../table.ts'
import { hashOf, type NewSending } from './new-sending.ts'
import { type SendingState, stateColumns } from './sending-store.ts'
import type { SendingTables } from './table.ts'

/** The sending that the same request made before. Throws an AppError (`conflict`) for a key of another request. */
export async function findByKey(
  db: Kysely<SendingTables>,
  request: NewSending,
): Promise<SendingState | undefined> {
  const { caller, idempotencyKey } = request
  if (idempotencyKey === undefined) return undefined
  const key = jobKeyOf(caller, idempotencyKey)
  const query = db.selectFrom('sendings').select(stateColumns).where('idempotency_key', '=', key)
  const row = await query.executeTakeFirst()
  if (row === undefined) return undefined
  const isSame = row.email_id === request.emailId && row.request_hash === hashOf(request)
  if (isSame) return row
  throw keyUsed()
}

/** Throws an AppError (`conflict`) where a sending was made with this key. */
export async function refuseKeyOfSending(
  db: Kysely<SendingTables>,
  caller: Caller,
  key: string,
): Promise<void> {
  const query = db.selectFrom('sendings').select('id')
  const found = query.where('idempotency_key', '=', jobKeyOf(caller, key))
  if ((await found.executeTakeFirst()) !== undefined) throw keyUsed()
}

/**
 * The same for a message that is written down and has not left. Whoever makes a sending looks for the message
 * under the same lock, so that one of the two sees the other, and only one.
 */
export function refuseKeyOfSendingNow(
  storage: Storage,
  caller: Caller,
  key: string,
): Promise<void> {
  return storage.transaction(async (tx: Transaction<SendingTables>) => {
    await storage.lock(tx, keyLock(caller, key))
    await refuseKeyOfSending(tx, caller, key)
  })
}

/** Throws an AppError (`conflict`) where a message to one contact has the key; none gets it in this transaction. */
export async function takeKey(
  tx: Transaction<DeliveryTables>,
  storage: Storage,
  { caller, idempotencyKey: key }: NewSending,
): Promise<void> {
  if (key === undefined) return
  await storage.lock(tx, keyLock(caller, key))
  const query = tx.selectFrom('deliveries').select('id')
  const found = query.where('message_key', '=', messageKeyOf(caller, key))
  if ((await found.executeTakeFirst()) !== undefined) throw keyUsed()
}

function keyLock(caller: Caller, key: string): string {
  return `idempotency key ${messageKeyOf(caller, key)}`
}
