import type { Transaction } from 'kysely'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import type { DatabaseFeatures, Storage } from '../../../platform/storage/index.ts'
import type { RouteStep } from '../../routing/index.ts'
import { type DeliveryRow, type DeliveryTables, defaultTransport, noTransport } from '../table.ts'
import {
  createInsertKeys,
  type DeliveryReference,
  findOriginal,
  type NewKey,
  type OriginalDelivery,
  releaseKeys,
} from './delivery-keys.ts'
import { createBulkQuery, emptyDelivery } from './delivery-row.ts'

/** A message that is about to be given to a transport. */
export interface NewDelivery {
  source: DeliveryRow['source']
  caller: string
  /** The Mautic whose ids the email and the contact have. Default: they are Mailyard's own. */
  mauticId?: number | undefined
  /** The brand of the message; see `noBrand`. */
  brand: number
  /** Whether it is in the lane `bulk`. Default: false. */
  isBulk?: boolean | undefined
  emailId: number | null
  contactId: number | null
  sender: string
  recipients: readonly LoggedRecipient[]
  transportId: number | null
  transport: string | null
  messageId: string | null
  /** See `DeliveryRow.subject`. */
  subject: string | null
  /** See `DeliveryRow.request_hash`. */
  requestHash: string | null
  trace: readonly RouteStep[]
}

/** A recipient, and the keys that identify the same message when it is submitted again. */
export interface LoggedRecipient {
  address: string
  messageKey: string | null
  bulkKey: string | null
}

export type { OriginalDelivery }

/** A recipient who has had the message before, or may have had it. */
export interface Duplicate {
  address: string
  original: OriginalDelivery
}

/** One recipient of a started delivery: `id` is the row in the delivery log. */
export interface StartedAttempt {
  id: number
  /** The time of its row: with it, the row is found in one partition. */
  startedAt: number
  address: string
}

/** Whether the message may be sent to a recipient, or is a duplicate. */
export type StartResult =
  | ({ state: 'started' } & StartedAttempt)
  | ({ state: 'duplicate' } & Duplicate)

/** A delivery to write to the log, with the time and the process that sends it. */
export interface LogEntry {
  delivery: NewDelivery
  startedAt: number
  processId: string
}

type NewRow = Omit<DeliveryRow, 'id'>
type Tx = Transaction<DeliveryTables>

/** A row to insert and the keys that its message needs. */
interface WantedRow {
  row: NewRow
  keys: readonly Pick<NewKey, 'key' | 'kind'>[]
}

const placeholder: NewRow = emptyDelivery({
  source: 'smtp',
  caller: '',
  startedAt: 0,
  processId: '',
})
const columns = Object.keys(placeholder) as (keyof NewRow)[]

export interface StartAttemptsOptions {
  storage: DatabaseFeatures & Pick<Storage, 'tables'>
  processId: string
}

/** Creates the write that logs started attempts. A recipient whose key exists already is a duplicate. */
export function createStartAttempts(options: StartAttemptsOptions) {
  const insert = createInsert(options)
  /** Finds the result of one row: it was inserted, or it is a duplicate. */
  const resultOf = async (
    tx: Tx,
    wanted: WantedRow,
    inserted: number | undefined,
  ): Promise<StartResult> => {
    const { recipient: address, started_at: startedAt } = wanted.row
    for (let id = inserted; ; [id] = await insert(tx, [wanted])) {
      if (id !== undefined) return { state: 'started', id, address, startedAt }
      const keys = wanted.keys.map(({ key }) => key)
      const original = await findOriginal(tx, keys)
      if (original !== undefined) return { state: 'duplicate', original, address }
      // The original released its key between the two statements: insert again.
    }
  }
  return async (tx: Tx, entries: readonly LogEntry[]): Promise<StartResult[][]> => {
    const wanted = entries.map(rowsOf)
    const ids = await insert(tx, wanted.flat())
    const results: StartResult[][] = []
    let next = 0
    for (const rows of wanted) {
      const ofEntry: StartResult[] = []
      for (const row of rows) {
        ofEntry.push(await resultOf(tx, row, ids[next]))
        next += 1
      }
      results.push(ofEntry)
    }
    return results
  }
}

/**
 * The name of a shared lock that each transaction of a process holds which starts attempts: until it ends, even if its connection is
 * lost.
 */
export const startLock = (processId: string) => `starts:${processId}`

/** Creates the insert of rows with their keys. It returns the ids; undefined for rows with a key that another delivery has. */
function createInsert({ storage, processId }: StartAttemptsOptions) {
  const db = storage.tables<DeliveryTables>()
  const lock = storage.sharedLock(startLock(processId))
  const insertRows = createBulkQuery<{ id: number }>((count) =>
    db
      .insertInto('deliveries')
      .values(Array.from({ length: count }, () => placeholder))
      .returning(['id', lock.as('lock')])
      .compile(),
  )
  const insertKeys = createInsertKeys(db)
  return async (tx: Tx, wanted: readonly WantedRow[]): Promise<(number | undefined)[]> => {
    const { rows: inserted } = await insertRows(
      tx,
      wanted.map(({ row }) => columns.map((column) => row[column])),
    )
    // Ids ascend in the order of the rows, but rows are returned in any order.
    const ids = inserted.map(({ id }) => id).sort((one, other) => one - other)
    const keys = wanted.flatMap(({ row, keys }, index) =>
      keys.map((key) => ({ ...key, delivery_id: ids[index] ?? 0, started_at: row.started_at })),
    )
    const added = keys.length === 0 ? 0 : await insertKeys(tx, keys)
    if (added === keys.length) return ids
    const owners = tx.selectFrom('delivery_keys').select(['key', 'delivery_id'])
    const names = keys.map(({ key }) => key)
    const taken = await owners.where('key', 'in', names).execute()
    const isTaken = new Set(taken.map((row) => `${row.delivery_id} ${row.key}`))
    const isMissing = (index: number) =>
      wanted[index]?.keys.some(({ key }) => !isTaken.has(`${ids[index]} ${key}`)) === true
    await removeStarted(
      tx,
      wanted.flatMap(({ row }, index) =>
        isMissing(index) ? [{ id: ids[index] ?? 0, started_at: row.started_at }] : [],
      ),
    )
    return ids.map((id, index) => (isMissing(index) ? undefined : id))
  }
}

/** Removes rows of duplicates that were just inserted, and the keys that they took. */
async function removeStarted(tx: Tx, rows: readonly DeliveryReference[]): Promise<void> {
  await releaseKeys(tx, rows)
  const times = rows.map((row) => row.started_at)
  await tx
    .deleteFrom('deliveries')
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .where('started_at', 'in', [...new Set(times)])
    .execute()
}

/** Creates the columns that the rows of all recipients of a message have in common. */
export function commonColumns({ delivery, startedAt, processId }: LogEntry): NewRow {
  const { source, caller } = delivery
  return {
    ...emptyDelivery({ source, caller, startedAt, processId }),
    mautic_id: delivery.mauticId ?? 0,
    brand_id: delivery.brand,
    is_bulk: delivery.isBulk ?? false,
    email_id: delivery.emailId,
    contact_id: delivery.contactId,
    sender: delivery.sender,
    transport_id:
      delivery.transportId ?? (delivery.transport === null ? noTransport : defaultTransport),
    transport: delivery.transport,
    message_id: delivery.messageId,
    subject: delivery.subject,
    request_hash: delivery.requestHash,
    trace: JSON.stringify(delivery.trace),
  }
}

function rowsOf(entry: LogEntry): WantedRow[] {
  const common = commonColumns(entry)
  return entry.delivery.recipients.map((recipient: LoggedRecipient) => ({
    row: { ...common, recipient: recipient.address, recipient_key: emailKey(recipient.address) },
    keys: keysOf(recipient, entry.delivery),
  }))
}

function keysOf(
  { messageKey, bulkKey }: LoggedRecipient,
  { messageId, requestHash }: Pick<NewDelivery, 'messageId' | 'requestHash'>,
): WantedRow['keys'] {
  const ofMessage = messageId === null ? 'content' : 'message'
  const kind = requestHash === null ? ofMessage : 'request'
  return [
    ...(messageKey === null ? [] : [{ key: messageKey, kind } as const]),
    ...(bulkKey === null ? [] : [{ key: bulkKey, kind: 'bulk' } as const]),
  ]
}
