import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { checkSegment } from '../../contacts/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { pause } from '../../kit/pause.ts'
import { isUniqueViolation, type Storage } from '../../storage/index.ts'
import {
  broadcastKeyOf,
  findBroadcastByKey,
  type NewBroadcast,
  requestHashOf,
  reserveKey,
} from '../idempotency.ts'
import type { DeliveryTables } from '../table.ts'
import type { BroadcastState } from './broadcast-store.ts'
import { noCounts } from './counts.ts'
import { type AddRecipientsTables, addRecipientsLock, prepareBatch } from './prepare.ts'

const checkedPerBatch = 1_000

/** Creates a broadcast with its first recipients. Throws an AppError (`invalid`, `not_found`, `conflict`). */
export async function createBroadcast(
  { storage, clock, defaultFrom }: { storage: Storage; clock: Clock; defaultFrom: string },
  request: NewBroadcast,
): Promise<BroadcastState> {
  const { emailId, target } = request
  const contactIds = 'contactIds' in target ? [...new Set(target.contactIds)] : []
  if ('segment' in target) await checkSegment(storage.tables<AddRecipientsTables>(), target.segment)
  else await checkContacts(storage, contactIds)
  const now = clock.now()
  const values = { ...newRow(request, now), contact_ids: JSON.stringify(contactIds) }
  try {
    return await storage.transaction(
      async (tx: Transaction<AddRecipientsTables & DeliveryTables>) => {
        await reserveKey(tx.withTables<DeliveryTables>(), storage, request)
        // Two broadcasts of one email must not add the same contact.
        await storage.lock(tx, addRecipientsLock(emailId))
        const insert = tx.insertInto('broadcasts').values(values).returningAll()
        const row = await insert.executeTakeFirstOrThrow()
        return prepareBatch(tx.withTables<AddRecipientsTables>(), row, {
          storage,
          now,
          defaultFrom,
        })
      },
    )
  } catch (error) {
    // A concurrent request with the same key has created it.
    if (!isUniqueViolation(error, 'idempotency_key')) throw error
    const row = await findBroadcastByKey(storage.tables<AddRecipientsTables>(), request)
    if (row === undefined) throw error
    return row
  }
}

function newRow(request: NewBroadcast, now: number) {
  const { emailId, target, caller, idempotencyKey: key } = request
  return {
    email_id: emailId,
    caller: caller.name,
    created_at: now,
    finished_at: null,
    state: 'running' as const,
    problem: null,
    segment: 'segment' in target ? target.segment : null,
    is_prepared: false,
    prepared_to: 0,
    due_at: now,
    total: 0,
    ...noCounts,
    rate_stretch: 0,
    rate_count: 0,
    rate_before: 0,
    message_seed: randomBytes(12).toString('hex'),
    idempotency_key: key === undefined ? null : broadcastKeyOf(caller, key),
    request_hash: requestHashOf(request),
  }
}

/** Throws an AppError (`not_found`) for contacts that do not exist. */
export async function checkContacts(storage: Storage, ids: readonly number[]): Promise<void> {
  const db = storage.tables<AddRecipientsTables>()
  const missing: number[] = []
  for (let start = 0; start < ids.length; start += checkedPerBatch) {
    const some = ids.slice(start, start + checkedPerBatch)
    const found = await db
      .selectFrom('contacts')
      .select('id')
      .where(storage.isAmong('id', some))
      .execute()
    const known = new Set(found.map(({ id }) => id))
    missing.push(...some.filter((id) => !known.has(id)))
    await pause()
  }
  if (missing.length === 0) return
  const message = `Contact not found: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}`
  throw new AppError('not_found', 'contact_not_found', message)
}
