import type { Kysely } from 'kysely'
import type { DeliveryRow, DeliveryTables } from '../delivery/index.ts'
import {
  type DeliveryItem,
  type DeliveryOutcome,
  deliveryOutcomes,
  presentDelivery,
} from '../delivery/index.ts'
import { pause } from '../kit/pause.ts'
import type { QueueTables } from '../queue/index.ts'
import { type ShownState, shownState, shownStates } from '../queue/index.ts'
import type { Storage } from '../storage/index.ts'

/** Where a recipient is in the queue, or its outcome. */
export type RecipientState = ShownState | DeliveryOutcome

export const recipientStates: readonly RecipientState[] = [
  ...new Set<RecipientState>([...shownStates, ...deliveryOutcomes]),
]

/** A recipient of a broadcast, with its last delivery. */
export interface RecipientItem {
  contactId: number
  /** The address that it was or will be sent to, as far as is known. */
  address: string
  state: RecipientState
  attempts: number
  /** Null where nothing was sent yet, or where it was deleted. */
  delivery: DeliveryItem | null
}

/** A page of recipients in the order of their contacts. */
export interface RecipientPage {
  recipients: RecipientItem[]
  /** The value of `after` for the next page; null at the end. */
  next: number | null
}

/** Which recipients a page has. */
export interface RecipientQuery {
  state: RecipientState | undefined
  /** The last contact of the page before. */
  after: number
  limit: number
}

type Tables = QueueTables & DeliveryTables

/** The deliveries, and the recipients in the queue, that one query scans: some milliseconds. */
const scannedPerBatch = 2_000
/** A page that finds little ends after about this long, and says where to continue. */
const searchMs = 2_000

/** Lists recipients of a broadcast that are in the queue or have a delivery, in the order of their contacts. */
export async function listRecipients(
  storage: Storage,
  broadcastId: number,
  { state, after, limit, now }: RecipientQuery & { now: number },
): Promise<RecipientPage> {
  const db = storage.tables<Tables>()
  const deadline = performance.now() + searchMs
  const recipients: RecipientItem[] = []
  for (let from = after; ; ) {
    const { items, end } = await readBatch(db, { broadcastId, after: from, now })
    for (const item of items) {
      if (state !== undefined && item.state !== state) continue
      recipients.push(item)
      if (recipients.length === limit) return { recipients, next: item.contactId }
    }
    if (end === undefined) return { recipients, next: null }
    from = end
    if (performance.now() > deadline) return { recipients, next: from }
    await pause()
  }
}

/** Reads the recipients that follow a contact. `end` is the last contact that was read completely; undefined at the end. */
async function readBatch(
  db: Kysely<Tables>,
  { broadcastId, after, now }: { broadcastId: number; after: number; now: number },
): Promise<{ items: RecipientItem[]; end: number | undefined }> {
  const deliveries = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('broadcast_id', '=', broadcastId)
    .where('contact_id', '>', after)
    .orderBy('contact_id')
    .orderBy('started_at')
    .orderBy('id')
    .limit(scannedPerBatch)
    .execute()
  const waiting = await db
    .selectFrom('queue_recipients')
    .select(['contact_id', 'address', 'state', 'due_at', 'attempts'])
    .where('broadcast_id', '=', broadcastId)
    .where('contact_id', '>', after)
    .orderBy('contact_id')
    .limit(scannedPerBatch)
    .execute()
  const ends = [deliveries, waiting].flatMap((rows) =>
    rows.length === scannedPerBatch ? (rows.at(-1)?.contact_id ?? 0) - 1 : [],
  )
  const end = ends.length === 0 ? undefined : Math.max(after + 1, Math.min(...ends))
  const isRead = (contactId: number) => end === undefined || contactId <= end
  const items = new Map<number, RecipientItem>()
  for (const row of deliveries) {
    const contactId = row.contact_id ?? 0
    const attempts = (items.get(contactId)?.attempts ?? 0) + (isAttempt(row) ? 1 : 0)
    if (isRead(contactId))
      items.set(contactId, {
        contactId,
        address: row.recipient,
        state: row.outcome,
        attempts,
        delivery: presentDelivery(row),
      })
  }
  for (const row of waiting) {
    const contactId = row.contact_id ?? 0
    const delivery = items.get(contactId)?.delivery ?? null
    const attempts = Math.max(row.attempts, items.get(contactId)?.attempts ?? 0)
    if (isRead(contactId))
      items.set(contactId, {
        contactId,
        address: row.address,
        state: shownState(row, now),
        attempts,
        delivery,
      })
  }
  const sorted = [...items.values()].sort((one, other) => one.contactId - other.contactId)
  return { items: sorted, end }
}

function isAttempt({ transport }: DeliveryRow): boolean {
  return transport !== null
}
