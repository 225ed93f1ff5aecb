import { hash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { DeliveryTables } from '../delivery/index.ts'
import { findOriginal } from '../delivery/index.ts'
import type { Caller } from '../kit/caller.ts'
import { keyUsed, messageKeyOf, type QueueTables, scopedKeyOf } from '../queue/index.ts'
import type { Storage } from '../storage/index.ts'
import { type BroadcastSummary, type BroadcastTables, summaryColumns } from './table.ts'

/** The recipients of a broadcast: contacts by id, or all of a segment. */
export type BroadcastTarget = { contactIds: readonly number[] } | { segment: string }

/** A request for a broadcast. */
export interface NewBroadcast {
  emailId: number
  target: BroadcastTarget
  caller: Caller
  /** Undefined if each request creates a broadcast. */
  idempotencyKey: string | undefined
}

/** Hashes what a request asks for, to detect another request with the same key. The order of contacts does not matter. */
export function requestHashOf({ emailId, target }: NewBroadcast): string {
  const recipients =
    'segment' in target
      ? { segment: target.segment }
      : { contactIds: [...new Set(target.contactIds)].sort((one, other) => one - other) }
  return hash('sha256', JSON.stringify({ emailId, ...recipients }), 'base64url')
}

/** Returns the broadcast that the same request has created. Throws an AppError (`conflict`) for a key of another request. */
export async function findBroadcastByKey(
  db: Kysely<BroadcastTables>,
  request: NewBroadcast,
): Promise<BroadcastSummary | undefined> {
  const { caller, idempotencyKey } = request
  if (idempotencyKey === undefined) return undefined
  const key = scopedKeyOf(caller, idempotencyKey)
  const query = db
    .selectFrom('broadcasts')
    .select(summaryColumns)
    .where('idempotency_key', '=', key)
  const row = await query.executeTakeFirst()
  if (row === undefined) return undefined
  const isSame = row.email_id === request.emailId && row.request_hash === requestHashOf(request)
  if (isSame) return row
  throw keyUsed()
}

/** Throws an AppError (`conflict`) if a broadcast was created with this key. */
export async function checkNoBroadcastHasKey(
  db: Kysely<BroadcastTables>,
  caller: Caller,
  key: string,
): Promise<void> {
  const query = db.selectFrom('broadcasts').select('id')
  const found = query.where('idempotency_key', '=', scopedKeyOf(caller, key))
  if ((await found.executeTakeFirst()) !== undefined) throw keyUsed()
}

/**
 * The same check for a message whose start is logged and that is not sent yet. A broadcast that is being created looks
 * for the message under the same lock, so that exactly one of the two sees the other.
 */
export function checkNoBroadcastHasKeyLocked(
  storage: Storage,
  caller: Caller,
  key: string,
): Promise<void> {
  return storage.transaction(async (tx: Transaction<BroadcastTables>) => {
    await storage.lock(tx, keyLock(caller, key))
    await checkNoBroadcastHasKey(tx, caller, key)
  })
}

/**
 * Reserves the key of a new broadcast until the transaction ends. Throws an AppError (`conflict`) if a message to one
 * contact has it.
 */
export async function reserveKey(
  tx: Transaction<DeliveryTables>,
  storage: Storage,
  { caller, idempotencyKey: key }: NewBroadcast,
): Promise<void> {
  if (key === undefined) return
  await storage.lock(tx, keyLock(caller, key))
  const messageKey = messageKeyOf(caller, key)
  if ((await findOriginal(tx, [messageKey])) !== undefined) throw keyUsed()
  const queued = tx.withTables<QueueTables>().selectFrom('queue_recipients').select('id')
  const found = await queued.where('message_key', '=', messageKey).executeTakeFirst()
  if (found !== undefined) throw keyUsed()
}

function keyLock(caller: Caller, key: string): string {
  return `idempotency key ${messageKeyOf(caller, key)}`
}
