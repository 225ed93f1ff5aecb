import type { Kysely } from 'kysely'
import { emailKey } from '../../kit/email-key.ts'
import { runQuery, type Statements } from '../../storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import { createBulkQuery } from './bulk-query.ts'
import { emptyDelivery } from './empty-delivery.ts'
import type { Admission, Earlier, JournalRecipient, NewDelivery } from './new-delivery.ts'

/** A delivery that is to be written down, and what is not of the message: when and by whom. */
export interface Beginning {
  delivery: NewDelivery
  startedAt: number
  processId: string
}

type NewRow = Omit<DeliveryRow, 'id'>
type Keys = Pick<DeliveryRow, 'message_key' | 'bulk_key'>

const placeholder: NewRow = emptyDelivery({
  source: 'smtp',
  caller: '',
  startedAt: 0,
  processId: '',
})
const columns = Object.keys(placeholder) as (keyof NewRow)[]

/** Writes beginnings down. A key that stands already belongs to a delivery of the same message. */
export function createBeginDeliveries(db: Kysely<DeliveryTables>) {
  const insertAll = createBulkQuery<{ id: number } & Keys>((count) =>
    db
      .insertInto('deliveries')
      .values(Array.from({ length: count }, () => placeholder))
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'message_key', 'bulk_key'])
      .compile(),
  )
  const insert = (rows: readonly NewRow[]) =>
    insertAll(rows.map((row) => columns.map((column) => row[column])))
  /** What became of a row: it is the next of the inserted ones, or another stands in its way. */
  function* admit(row: NewRow, inserted: ({ id: number } & Keys)[]): Statements<Admission> {
    const { recipient: address } = row
    const next = inserted.at(-1)
    if (next !== undefined && isSame(next, row)) {
      inserted.pop()
      return { state: 'begun', id: next.id, address }
    }
    for (;;) {
      const [earlier] = yield* runQuery<Earlier>(earlierQuery(db, row).compile())
      if (earlier !== undefined) return { state: 'known', earlier, address }
      // It gave its key up between the two: try again.
      const [again] = yield* insert([row])
      if (again !== undefined) return { state: 'begun', id: again.id, address }
    }
  }
  return function* (beginnings: readonly Beginning[]): Statements<Admission[][]> {
    const wanted = beginnings.map(rowsOf)
    const inserted = yield* insert(wanted.flat())
    // Ids are given in the order of the rows, whatever order they are returned in: the next one is the last here.
    inserted.sort((one, other) => other.id - one.id)
    const admissions: Admission[][] = []
    for (const own of wanted) {
      const answers: Admission[] = []
      for (const row of own) answers.push(yield* admit(row, inserted))
      admissions.push(answers)
    }
    return admissions
  }
}

function isSame(one: Keys, other: Keys): boolean {
  return one.message_key === other.message_key && one.bulk_key === other.bulk_key
}

function rowsOf({ delivery, startedAt, processId }: Beginning): NewRow[] {
  const { source, caller, recipients } = delivery
  const common = {
    ...emptyDelivery({ source, caller, startedAt, processId }),
    email_id: delivery.emailId,
    contact_id: delivery.contactId,
    sending_id: delivery.sendingId,
    sender: delivery.sender,
    transport_id: delivery.transportId,
    transport: delivery.transport,
    message_id: delivery.messageId,
    request_hash: delivery.requestHash,
    trace: JSON.stringify(delivery.trace),
  }
  return recipients.map(({ address, messageKey, bulkKey }: JournalRecipient) => ({
    ...common,
    recipient: address,
    recipient_key: emailKey(address),
    message_key: messageKey,
    bulk_key: bulkKey,
  }))
}

/** The latest that stands for a message. Two at most do; with a limit, PostgreSQL might look among all. */
export function earlierQuery(db: Kysely<DeliveryTables>, keys: Keys) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'outcome', 'started_at', 'reply', 'request_hash'])
    .where((where) =>
      where.or([
        where('message_key', '=', keys.message_key),
        where('bulk_key', '=', keys.bulk_key),
      ]),
    )
    .orderBy('id', 'desc')
}
