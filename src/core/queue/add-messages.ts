import type { Kysely, Transaction } from 'kysely'
import { noBrand } from '../../kit/caller.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { MessageKeys } from '../delivery/index.ts'
import { createBulkQuery, type DeliveryTables, noTransport } from '../delivery/index.ts'
import type { QueueMessageRow, QueueRecipientRow, QueueTables } from './table.ts'

/** A recipient of a message that is added to the queue. */
export interface NewRecipient
  extends Pick<QueueRecipientRow, 'address' | 'state' | 'attempts' | 'due_at' | 'problem'> {
  transport_id: number
  /** See `noBrand`. */
  brand_id: number
  /** Default: null. */
  waits_for?: number | null
}

/** A message that is added to the queue. */
export interface NewQueueMessage {
  message: NewMessageRow
  recipients: readonly NewRecipient[]
  keysOf: MessageKeys
  processId: string
}

/** Where a recipient is in the queue. */
export interface AddedRecipient {
  address: string
  /** The row of the recipient; undefined if the same message to the recipient is in the queue already. */
  id: number | undefined
  messageId: number
  /** False if the process has expired: it may not claim anything. */
  isClaimed: boolean
}

type Tables = QueueTables & DeliveryTables
type NewMessageRow = Omit<QueueMessageRow, 'id'>
type NewRow = Omit<QueueRecipientRow, 'id' | 'brake_id' | 'decided_by'>

const messagePlaceholder: NewMessageRow = {
  created_at: 0,
  expires_at: 0,
  lane: 'transactional',
  caller: '',
  submitter: '',
  sender: '',
  message_id: null,
  subject: null,
  mautic_id: 0,
  email_id: null,
  contact_id: null,
  rendered: null,
  size_bytes: 0,
  key_id: '',
  body: new Uint8Array(),
}
const messageColumns = Object.keys(messagePlaceholder) as (keyof typeof messagePlaceholder)[]

const recipientPlaceholder: NewRow = {
  message_id: 0,
  address: '',
  address_key: '',
  state: 'queued',
  lane: 'transactional',
  transport_id: noTransport,
  due_at: 0,
  created_at: 0,
  attempts: 0,
  claimed_by: null,
  problem: null,
  message_key: '',
  bulk_key: null,
  waits_for: null,
  brand_id: noBrand,
}
const recipientColumns = Object.keys(recipientPlaceholder) as (keyof NewRow)[]

/** The lock makes a process that expires this one wait, or this one sees that it has expired. */
function createFindProcess(db: Kysely<DeliveryTables>) {
  const query = db.selectFrom('delivery_processes').select('id').where('id', '=', '').forKeyShare()
  return createBulkQuery(() => query.compile())
}

/** Creates the write that adds messages. A recipient whose key is in the queue already is not added again. */
export function createAddMessages(database: Kysely<DeliveryTables>) {
  const db = database.withTables<QueueTables>()
  const findProcess = createFindProcess(database)
  const insertMessages = createBulkQuery<{ id: number }>((count) =>
    db
      .insertInto('queue_messages')
      .values(Array.from({ length: count }, () => messagePlaceholder))
      .returning('id')
      .compile(),
  )
  const insertRecipients = createBulkQuery<{ id: number; message_key: string }>((count) =>
    db
      .insertInto('queue_recipients')
      .values(Array.from({ length: count }, () => recipientPlaceholder))
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'message_key'])
      .compile(),
  )
  return async (
    tx: Transaction<DeliveryTables>,
    all: readonly NewQueueMessage[],
  ): Promise<AddedRecipient[][]> => {
    const claiming = all.find(({ recipients }) => recipients.some(isClaiming))
    const isAlive =
      claiming !== undefined && (await findProcess(tx, [[claiming.processId]])).rows.length > 0
    const { rows: inserted } = await insertMessages(
      tx,
      all.map(({ message }) => messageColumns.map((column) => message[column])),
    )
    // Ids ascend in the order of the rows, but rows are returned in any order.
    const ids = inserted.map(({ id }) => id).sort((one, other) => one - other)
    const rows = all.map((each, index) => rowsOf(each, { messageId: ids[index] ?? 0, isAlive }))
    const { rows: added } = await insertRecipients(
      tx,
      rows.flat().map((row) => recipientColumns.map((column) => row[column])),
    )
    const byKey = new Map(added.map(({ id, message_key: key }) => [key, id]))
    const results = rows.map((ofOne) =>
      ofOne.map((row): AddedRecipient => {
        const id = byKey.get(row.message_key)
        byKey.delete(row.message_key)
        const isClaimed = row.state === 'claimed'
        return { address: row.address, id, messageId: row.message_id, isClaimed }
      }),
    )
    await findOriginals(tx.withTables<Tables>(), { results, rows })
    return results
  }
}

function isClaiming({ state }: NewRecipient): boolean {
  return state === 'claimed'
}

function rowsOf(
  { message, recipients, keysOf, processId }: NewQueueMessage,
  { messageId, isAlive }: { messageId: number; isAlive: boolean },
): NewRow[] {
  return recipients.map((recipient) => {
    const { messageKey, bulkKey } = keysOf(recipient.address)
    const isLost = isClaiming(recipient) && !isAlive
    return {
      ...recipientPlaceholder,
      ...recipient,
      state: isLost ? 'queued' : recipient.state,
      claimed_by: isClaiming(recipient) && isAlive ? processId : null,
      message_id: messageId,
      address_key: emailKey(recipient.address),
      lane: message.lane,
      created_at: message.created_at,
      message_key: messageKey,
      bulk_key: bulkKey,
    }
  })
}

/** Deletes messages without a recipient, and points duplicates to the message that is in the queue. */
async function findOriginals(
  tx: Transaction<Tables>,
  { results, rows }: { results: AddedRecipient[][]; rows: NewRow[][] },
): Promise<void> {
  for (const [index, ofOne] of results.entries()) {
    if (ofOne.every(({ id }) => id !== undefined)) continue
    if (ofOne.every(({ id }) => id === undefined)) {
      const [first] = ofOne
      const unused = tx.deleteFrom('queue_messages').where('id', '=', first?.messageId ?? 0)
      await unused.execute()
    }
    for (const [place, each] of ofOne.entries()) {
      const row = rows[index]?.[place]
      if (each.id !== undefined || row === undefined) continue
      const original = await tx
        .selectFrom('queue_recipients')
        .select('message_id')
        .where((where) =>
          where.or([
            where('message_key', '=', row.message_key),
            ...(row.bulk_key === null ? [] : [where('bulk_key', '=', row.bulk_key)]),
          ]),
        )
        .executeTakeFirst()
      each.messageId = original?.message_id ?? 0
    }
  }
}
