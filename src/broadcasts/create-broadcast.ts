import { randomBytes } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { checkSegment } from '../contacts/index.ts'
import type { DeliveryTables } from '../delivery/index.ts'
import type { EmailTables } from '../emails/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { pause } from '../kit/pause.ts'
import { scopedKeyOf } from '../queue/index.ts'
import { isUniqueViolation, type Storage } from '../storage/index.ts'
import { findBroadcastByKey, type NewBroadcast, requestHashOf, reserveKey } from './idempotency.ts'
import { addingLock, type Producer, type ProducerTables } from './producer.ts'
import { addBroadcastMessage } from './queued-recipients.ts'
import type { BroadcastSummary } from './table.ts'

type Tables = ProducerTables & EmailTables

const checkedPerBatch = 1_000
/** The members of a segment that one statement counts: some milliseconds. */
const countedPerBatch = 50_000

export interface CreateBroadcastParts {
  storage: Storage
  clock: Clock
  /** The sender of emails without one. */
  defaultFrom: string
  producer: Pick<Producer, 'addFirst' | 'findTransport'>
}

/** Creates a broadcast with its first recipients. Throws an AppError (`invalid`, `not_found`, `conflict`). */
export async function createBroadcast(
  request: NewBroadcast,
  { storage, clock, defaultFrom, producer }: CreateBroadcastParts,
): Promise<BroadcastSummary> {
  const { emailId, target, caller } = request
  const db = storage.tables<Tables>()
  const contactIds = 'contactIds' in target ? [...new Set(target.contactIds)] : []
  if ('segment' in target) await checkSegment(db, target.segment)
  else await checkContacts(storage, contactIds)
  const total = 'segment' in target ? await countMembers(db, target.segment) : contactIds.length
  const transportId = await producer.findTransport(emailId)
  const now = clock.now()
  const values = { ...newRow(request, now), total, contact_ids: JSON.stringify(contactIds) }
  try {
    return await storage.transaction(async (tx: Transaction<Tables>) => {
      await reserveKey(tx.withTables<DeliveryTables>(), storage, request)
      await storage.lock(tx, addingLock(emailId))
      const row = await tx
        .insertInto('broadcasts')
        .values(values)
        .returningAll()
        .executeTakeFirstOrThrow()
      const email = tx.selectFrom('emails').select('from_address').where('id', '=', emailId)
      const from = (await email.executeTakeFirst())?.from_address ?? defaultFrom
      await addBroadcastMessage(tx, {
        id: row.id,
        emailId,
        caller: caller.name,
        from,
        now,
      })
      return producer.addFirst(tx.withTables<ProducerTables>(), row, transportId)
    })
  } catch (error) {
    // A concurrent request with the same key has created it.
    if (!isUniqueViolation(error, 'idempotency_key')) throw error
    const row = await findBroadcastByKey(db, request)
    if (row === undefined) throw error
    return row
  }
}

/** Counts the contacts of a segment, with pauses. */
async function countMembers(db: Kysely<Tables>, segment: string): Promise<number> {
  let count = 0
  for (let after: number | null = 0; after !== null; ) {
    const counted: { rows: { count: number; last: number | null }[] } = await sql<{
      count: number
      last: number | null
    }>`select count(*) as count, max(contact_id) as last from (
      select contact_id from contact_segments where segment = ${segment} and contact_id > ${after}
      order by contact_id limit ${countedPerBatch}) members`.execute(db)
    const [row] = counted.rows
    const size = Number(row?.count ?? 0)
    count += size
    after = size === countedPerBatch ? (row?.last ?? null) : null
    await pause()
  }
  return count
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
    accepted: 0,
    refused: 0,
    uncertain: 0,
    suppressed: 0,
    rate_stretch: 0,
    rate_count: 0,
    rate_before: 0,
    message_seed: randomBytes(12).toString('hex'),
    idempotency_key: key === undefined ? null : scopedKeyOf(caller, key),
    request_hash: requestHashOf(request),
  }
}

/** Throws an AppError (`not_found`) for contacts that do not exist. */
export async function checkContacts(storage: Storage, ids: readonly number[]): Promise<void> {
  const db = storage.tables<ProducerTables>()
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
