import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { checkSegment } from '../../contacts/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { pause } from '../../kit/pause.ts'
import { isUniqueViolation, type Storage } from '../../storage/index.ts'
import { jobKeyOf } from '../idempotency.ts'
import type { DeliveryTables } from '../table.ts'
import { type EnrolTables, enrolLock } from './enrol.ts'
import { findByKey, takeKey } from './keyed-sendings.ts'
import { hashOf, type NewSending } from './new-sending.ts'
import { prepareSome } from './prepare.ts'
import { isAmong } from './rows.ts'
import type { SendingState } from './sending-store.ts'

const checkedAtOnce = 1_000

/** Writes a sending down, with the first of its contacts. Throws an AppError (`invalid`, `not_found`, `conflict`). */
export async function createSending(
  { storage, clock }: { storage: Storage; clock: Clock },
  request: NewSending,
): Promise<SendingState> {
  const { emailId, target } = request
  const contactIds = 'contactIds' in target ? [...new Set(target.contactIds)] : []
  if ('segment' in target) await checkSegment(storage.tables<EnrolTables>(), target.segment)
  else await checkContacts(storage, contactIds)
  const now = clock.now()
  const values = { ...newRow(request, now), contact_ids: JSON.stringify(contactIds) }
  try {
    return await storage.transaction(async (tx: Transaction<EnrolTables & DeliveryTables>) => {
      await takeKey(tx.withTables<DeliveryTables>(), storage, request)
      // Two sendings of one email must not enrol the same contact.
      await storage.lock(tx, enrolLock(emailId))
      const insert = tx.insertInto('sendings').values(values).returningAll()
      const row = await insert.executeTakeFirstOrThrow()
      return prepareSome(tx.withTables<EnrolTables>(), row, { kind: storage.kind, now })
    })
  } catch (error) {
    // Somebody else made it with the same key meanwhile.
    if (!isUniqueViolation(error, 'idempotency_key')) throw error
    const row = await findByKey(storage.tables<EnrolTables>(), request)
    if (row === undefined) throw error
    return row
  }
}

function newRow(request: NewSending, now: number) {
  const { emailId, target, caller, idempotencyKey: key } = request
  return {
    email_id: emailId,
    caller: caller.name,
    created_at: now,
    finished_at: null,
    status: 'running' as const,
    problem: null,
    segment: 'segment' in target ? target.segment : null,
    is_prepared: false,
    prepared_to: 0,
    due_at: now,
    total: 0,
    accepted: 0,
    refused: 0,
    uncertain: 0,
    rate_stretch: 0,
    rate_count: 0,
    rate_before: 0,
    message_seed: randomBytes(12).toString('hex'),
    idempotency_key: key === undefined ? null : jobKeyOf(caller, key),
    request_hash: hashOf(request),
  }
}

async function checkContacts(storage: Storage, ids: readonly number[]): Promise<void> {
  const { kind } = storage
  const db = storage.tables<EnrolTables>()
  const missing: number[] = []
  for (let start = 0; start < ids.length; start += checkedAtOnce) {
    const some = ids.slice(start, start + checkedAtOnce)
    const found = await db
      .selectFrom('contacts')
      .select('id')
      .where(isAmong(kind, 'id', some))
      .execute()
    const known = new Set(found.map(({ id }) => id))
    missing.push(...some.filter((id) => !known.has(id)))
    await pause()
  }
  if (missing.length === 0) return
  const message = `Contact not found: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}`
  throw new AppError('not_found', 'contact_not_found', message)
}
