import type { Kysely } from 'kysely'
import { type Storage, scanPage } from '../../storage/index.ts'
import { type DeliveryItem, presentDelivery } from '../deliveries/delivery-item.ts'
import type { DeliveryTables } from '../table.ts'
import type {
  BroadcastRecipientRow,
  BroadcastRow,
  BroadcastTables,
  RecipientState,
} from './table.ts'

/** A recipient of a broadcast, with its last delivery. */
export interface RecipientItem {
  contactId: number
  state: RecipientState
  attempts: number
  /** Null where nothing was sent yet, or where it was deleted. */
  delivery: DeliveryItem | null
}

/** A page of recipients in the order of their contacts. */
export interface RecipientPage {
  recipients: RecipientItem[]
  /** The contact after which the next page continues; null at the end. */
  next: number | null
}

/** Which recipients a page has. */
export interface RecipientQuery {
  state: RecipientState | undefined
  /** The last contact of the page before. */
  after: number
  limit: number
}

type Tables = BroadcastTables & DeliveryTables

type Position = Pick<BroadcastRecipientRow, 'contact_id'>
type RecipientRow = Pick<BroadcastRecipientRow, 'contact_id' | 'state' | 'attempts'>

/** The recipients that one query scans: some milliseconds. */
const scannedPerBatch = 10_000

/** Lists recipients of a broadcast. There is no index by state, so they are scanned in the order of contacts. */
export async function listRecipients(
  storage: Storage,
  { id, email_id: emailId }: Pick<BroadcastRow, 'id' | 'email_id'>,
  { state, after, limit }: RecipientQuery,
): Promise<RecipientPage> {
  const db = storage.tables<Tables>()
  const ofEmail = db.selectFrom('broadcast_recipients').where('email_id', '=', emailId)
  const { rows, last } = await scanPage<Position, RecipientRow>(
    {
      findEnd: ({ contact_id: from } = { contact_id: 0 }) =>
        ofEmail
          .select('contact_id')
          .where('contact_id', '>', from)
          .orderBy('contact_id')
          .offset(scannedPerBatch - 1)
          .limit(1)
          .executeTakeFirst(),
      read({ contact_id: from } = { contact_id: 0 }, until, count) {
        let query = ofEmail
          .select(['contact_id', 'state', 'attempts'])
          .where('contact_id', '>', from)
          .where('broadcast_id', '=', id)
        if (until !== undefined) query = query.where('contact_id', '<=', until.contact_id)
        if (state !== undefined) query = query.where('state', '=', state)
        return query.orderBy('contact_id').limit(count).execute()
      },
    },
    { after: { contact_id: after }, limit },
  )
  const recipients: RecipientItem[] = []
  for (const { contact_id: contactId, state, attempts } of rows) {
    const delivery = await findLastDelivery(db, { id, contactId })
    recipients.push({ contactId, state, attempts, delivery })
  }
  return { recipients, next: last?.contact_id ?? null }
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
