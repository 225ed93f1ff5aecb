import { sql } from 'kysely'
import { checkSegment } from '../contacts/index.ts'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import { domainOf } from '../suppressions/index.ts'
import { checkContacts } from './create-broadcast.ts'
import type { BroadcastTarget } from './idempotency.ts'
import { noneSkipped, type ProducerTables, type Skipped, skipReason } from './producer.ts'

/** The contacts that a broadcast would be sent to. */
export interface RecipientCount {
  recipients: number
  skipped: Skipped
  /** One of those whom it would reach, for a preview; null for none. */
  firstContactId: number | null
  /** False where there are too many to count in the time; the numbers are counts of the first ones then. */
  isComplete: boolean
}

/** Whom a broadcast would be sent to. */
export interface CountRequest {
  emailId: number
  target: BroadcastTarget
  /** The address in From. */
  from: string
}

/** The contacts of one query: some milliseconds. */
const contactsPerBatch = 2_000
/** A count ends after about this long. */
const countMs = 3_000

/** Counts whom a broadcast would reach, by the rules of `addRecipients`. Throws an AppError as creating it does. */
export async function countRecipients(
  storage: Storage,
  { emailId, target, from }: CountRequest,
): Promise<RecipientCount> {
  if ('segment' in target) await checkSegment(storage.tables<ProducerTables>(), target.segment)
  else await checkContacts(storage, target.contactIds)
  const count: RecipientCount = {
    recipients: 0,
    skipped: { ...noneSkipped },
    firstContactId: null,
    isComplete: true,
  }
  const startedAt = performance.now()
  for await (const contactIds of batchesOf(storage, target)) {
    if (performance.now() - startedAt > countMs) return { ...count, isComplete: false }
    await countBatch(storage, { emailId, from, contactIds }, count)
    await pause()
  }
  return count
}

async function* batchesOf(storage: Storage, target: BroadcastTarget): AsyncGenerator<number[]> {
  if ('contactIds' in target) {
    const ids = [...new Set(target.contactIds)]
    for (let start = 0; start < ids.length; start += contactsPerBatch)
      yield ids.slice(start, start + contactsPerBatch)
    return
  }
  const db = storage.tables<ProducerTables>()
  for (let after = 0; ; ) {
    const members = await db
      .selectFrom('contact_segments')
      .select('contact_id')
      .where('segment', '=', target.segment)
      .where('contact_id', '>', after)
      .orderBy('contact_id')
      .limit(contactsPerBatch)
      .execute()
    const last = members.at(-1)
    if (last === undefined) return
    yield members.map((member) => member.contact_id)
    after = last.contact_id
  }
}

async function countBatch(
  storage: Storage,
  { emailId, from, contactIds }: Omit<CountRequest, 'target'> & { contactIds: readonly number[] },
  count: RecipientCount,
): Promise<void> {
  const { rows } = await sql<{ reason: keyof Skipped | null; count: number; first: number }>`
    select reason, count(*) as count, min(id) as first from (
      select contacts.id, ${skipReason({ id: null, emailId }, domainOf(from))} as reason
      from contacts where ${storage.isAmong('contacts.id', contactIds)}) as reasons
    group by reason`.execute(storage.tables<ProducerTables>())
  let read = 0
  for (const { reason, count: size, first } of rows) {
    read += Number(size)
    if (reason === null) {
      count.recipients += Number(size)
      count.firstContactId ??= Number(first)
    } else count.skipped[reason] += Number(size)
  }
  count.skipped.deleted += contactIds.length - read
}
