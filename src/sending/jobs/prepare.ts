import type { Transaction } from 'kysely'
import type { DatabaseKind, Storage } from '../../storage/index.ts'
import { endSending, isSettled } from './counts.ts'
import { addSkipped, type EnrolTables, enrol, enrolLock } from './enrol.ts'
import type { SendingRow } from './table.ts'

/** So many contacts are written down in one transaction: some ten milliseconds. */
const contactsAtOnce = 1_000

/** Writes down some more contacts of a sending that runs; returns whether that was all. */
export async function prepareSending(
  storage: Storage,
  { id, email_id: emailId }: Pick<SendingRow, 'id' | 'email_id'>,
  now: number,
): Promise<boolean> {
  return storage.transaction(async (tx: Transaction<EnrolTables>) => {
    await storage.lock(tx, enrolLock(emailId))
    const row = await tx
      .selectFrom('sendings')
      .selectAll()
      .where('id', '=', id)
      .where('status', '=', 'running')
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (row === undefined || row.is_prepared) return true
    const { is_prepared: isPrepared } = await prepareSome(tx, row, { kind: storage.kind, now })
    return Boolean(isPrepared)
  })
}

/** As `prepareSending`, within a transaction that has the lock of the email; returns the row as it is now. */
export async function prepareSome(
  tx: Transaction<EnrolTables>,
  row: SendingRow,
  { kind, now }: { kind: DatabaseKind; now: number },
): Promise<SendingRow> {
  const { contactIds, preparedTo, isLast } =
    row.segment === null ? someNamed(row) : await someOfSegment(tx, row, row.segment)
  const { enrolled, skipped } = await enrol(tx, row, { kind, contactIds, now })
  const change = {
    is_prepared: isLast,
    prepared_to: preparedTo,
    total: row.total + enrolled,
    skipped: JSON.stringify(addSkipped(row.skipped, skipped)),
    ...(isLast ? { contact_ids: null } : {}),
    ...(enrolled > 0 && row.due_at > now ? { due_at: now } : {}),
  }
  await tx.updateTable('sendings').set(change).where('id', '=', row.id).execute()
  const changed = { ...row, ...change }
  if (!isSettled(changed)) return changed
  await endSending(tx, row.id, now)
  return { ...changed, status: 'done', finished_at: now }
}

interface Some {
  contactIds: number[]
  preparedTo: number
  isLast: boolean
}

function someNamed({ contact_ids: text, prepared_to: from }: SendingRow): Some {
  const all = JSON.parse(text ?? '[]') as number[]
  const to = from + contactsAtOnce
  return { contactIds: all.slice(from, to), preparedTo: to, isLast: to >= all.length }
}

async function someOfSegment(
  tx: Transaction<EnrolTables>,
  { prepared_to: from }: SendingRow,
  segment: string,
): Promise<Some> {
  const members = await tx
    .selectFrom('contact_segments')
    .select('contact_id')
    .where('segment', '=', segment)
    .where('contact_id', '>', from)
    .orderBy('contact_id')
    .limit(contactsAtOnce)
    .execute()
  const contactIds = members.map((member) => member.contact_id)
  const preparedTo = contactIds.at(-1) ?? from
  return { contactIds, preparedTo, isLast: members.length < contactsAtOnce }
}
