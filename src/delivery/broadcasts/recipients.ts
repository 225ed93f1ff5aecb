import type { Kysely } from 'kysely'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import { type DeliveryItem, presentDelivery } from '../deliveries/delivery-item.ts'
import type { DeliveryTables } from '../table.ts'
import type { BroadcastRow, BroadcastTables, RecipientStatus } from './table.ts'

/** A recipient of a broadcast, with its last delivery. */
export interface RecipientItem {
  contactId: number
  status: RecipientStatus
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
  status: RecipientStatus | undefined
  /** The last contact of the page before. */
  after: number
  limit: number
}

type Tables = BroadcastTables & DeliveryTables

/** The recipients that one query scans: some milliseconds. */
const scannedPerBatch = 10_000
/** A page that finds little ends after about this long, and says where to continue. */
const searchMs = 2_000

/** Lists recipients of a broadcast. There is no index by status, so they are scanned in the order of contacts. */
export async function listRecipients(
  storage: Storage,
  { id, email_id: emailId }: Pick<BroadcastRow, 'id' | 'email_id'>,
  { status, after, limit }: RecipientQuery,
): Promise<RecipientPage> {
  const db = storage.tables<Tables>()
  const ofEmail = db.selectFrom('broadcast_recipients').where('email_id', '=', emailId)
  const deadline = performance.now() + searchMs
  const recipients: RecipientItem[] = []
  for (let from = after; ; ) {
    const scanned = ofEmail.select('contact_id').where('contact_id', '>', from)
    const [end] = await scanned
      .orderBy('contact_id')
      .offset(scannedPerBatch - 1)
      .limit(1)
      .execute()
    let query = ofEmail
      .select(['contact_id', 'status', 'attempts'])
      .where('contact_id', '>', from)
      .where('broadcast_id', '=', id)
    if (end !== undefined) query = query.where('contact_id', '<=', end.contact_id)
    if (status !== undefined) query = query.where('status', '=', status)
    const rows = await query
      .orderBy('contact_id')
      .limit(limit - recipients.length)
      .execute()
    for (const { contact_id: contactId, ...row } of rows) {
      const delivery = await findLastDelivery(db, { id, contactId })
      recipients.push({ contactId, status: row.status, attempts: row.attempts, delivery })
    }
    if (recipients.length === limit)
      return { recipients, next: recipients.at(-1)?.contactId ?? null }
    if (end === undefined) return { recipients, next: null }
    from = end.contact_id
    if (performance.now() > deadline) return { recipients, next: from }
    await pause()
  }
}

async function findLastDelivery(
  db: Kysely<Tables>,
  { id, contactId }: { id: number; contactId: number },
): Promise<DeliveryItem | null> {
  const row = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('contact_id', '=', contactId)
    .where('broadcast_id', '=', id)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : presentDelivery(row)
}
