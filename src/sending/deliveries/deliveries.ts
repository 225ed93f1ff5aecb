import { type Kysely, sql, type Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { fold } from '../../kit/fold.ts'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryOutcome, DeliveryRow, DeliveryTables } from '../table.ts'
import { type DeliveryItem, presentDelivery } from './delivery-item.ts'

/** Which deliveries a list has: all that is given must hold. */
export interface DeliveryQuery {
  /** Only older ones than this id: the next page. */
  before: number | undefined
  limit: number
  emailId?: number | undefined
  contactId?: number | undefined
  sendingId?: number | undefined
  transportId?: number | undefined
  recipient?: string | undefined
  outcome?: DeliveryOutcome | undefined
  source?: DeliveryRow['source'] | undefined
  member?: string | undefined
  /** Milliseconds since the epoch. */
  from?: number | undefined
  to?: number | undefined
  /** Part of recipient, sender, reply, reason or Message-ID. */
  search?: string | undefined
}

/** A page of deliveries, the newest first. */
export interface DeliveryPage {
  deliveries: DeliveryItem[]
  /** What `before` of the next page is; null where there is no more. */
  next: number | null
}

/** What was delivered, and what was not. */
export interface Deliveries {
  list(query: DeliveryQuery): Promise<DeliveryPage>
  /** Throws an AppError (`not_found`). */
  get(id: number): Promise<DeliveryItem>
  /** An operator says what became of an uncertain delivery. Refused, it may be handed in again. */
  settle(id: number, outcome: 'accepted' | 'refused'): Promise<DeliveryItem>
}

/** Rows that are looked through at once, where no index leads to them. */
const stretch = 20_000
/** A search that finds little ends after so long, with the place to go on from. */
const searchTimeMaxMs = 2_000

/** Told, in the transaction, of an uncertain delivery that an operator has decided about. */
export type OnSettled = (
  tx: Transaction<DeliveryTables>,
  delivery: DeliveryRow,
  outcome: 'accepted' | 'refused',
) => Promise<void>

export function openDeliveries(storage: Storage, onSettled: OnSettled): Deliveries {
  const db = storage.tables<DeliveryTables>()
  const getRow = async (id: number) => {
    const row = await db
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    if (row === undefined)
      throw new AppError('not_found', 'delivery_not_found', 'Delivery not found')
    return row
  }
  return {
    list: (query) => (isSlow(query) ? searchPage(db, query) : indexedPage(db, query)),
    get: async (id) => presentDelivery(await getRow(id)),
    async settle(id, outcome) {
      await getRow(id)
      const keys = outcome === 'refused' ? { message_key: null, bulk_key: null } : {}
      const reason = `An operator decided: ${outcome}.`
      const settled = await storage.transaction(async (tx: Transaction<DeliveryTables>) => {
        const row = await tx
          .updateTable('deliveries')
          .set({ outcome, reason, is_permanent: false, ...keys })
          .where('id', '=', id)
          .where('outcome', '=', 'uncertain')
          .returningAll()
          .executeTakeFirst()
        if (row !== undefined) await onSettled(tx, row, outcome)
        return row
      })
      if (settled === undefined) throw notUncertain()
      return presentDelivery(settled)
    },
  }
}

/** What no index finds is looked for stretch by stretch. */
function isSlow({ search, member, source, from, to }: DeliveryQuery): boolean {
  return [search, member, source, from, to].some((part) => part !== undefined)
}

async function indexedPage(
  db: Kysely<DeliveryTables>,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  const rows = await select(db, query)
    .limit(query.limit + 1)
    .execute()
  const page = rows.slice(0, query.limit)
  return {
    deliveries: page.map(presentDelivery),
    next: rows.length > query.limit ? (page.at(-1)?.id ?? null) : null,
  }
}

async function searchPage(db: Kysely<DeliveryTables>, query: DeliveryQuery): Promise<DeliveryPage> {
  const deadline = performance.now() + searchTimeMaxMs
  const found: DeliveryRow[] = []
  let before = query.before ?? (await newestId(db)) + 1
  while (before > 1 && found.length < query.limit && performance.now() < deadline) {
    const rows = await select(db, { ...query, before })
      .where('id', '>=', before - stretch)
      .limit(query.limit - found.length)
      .execute()
    found.push(...rows)
    before = found.length < query.limit ? Math.max(1, before - stretch) : (found.at(-1)?.id ?? 1)
    await pause()
  }
  return { deliveries: found.map(presentDelivery), next: before > 1 ? before : null }
}

async function newestId(db: Kysely<DeliveryTables>): Promise<number> {
  const query = db.selectFrom('deliveries').select('id').orderBy('id', 'desc').limit(1)
  return (await query.executeTakeFirst())?.id ?? 0
}

function select(db: Kysely<DeliveryTables>, query: DeliveryQuery) {
  const { before, emailId, contactId, sendingId, transportId, recipient, outcome } = query
  const { source, member, from, to, search } = query
  let rows = db.selectFrom('deliveries').selectAll().orderBy('id', 'desc')
  if (before !== undefined) rows = rows.where('id', '<', before)
  if (emailId !== undefined) rows = rows.where('email_id', '=', emailId)
  if (contactId !== undefined) rows = rows.where('contact_id', '=', contactId)
  if (sendingId !== undefined) rows = rows.where('sending_id', '=', sendingId)
  if (transportId !== undefined) rows = rows.where('transport_id', '=', transportId)
  if (recipient !== undefined) rows = rows.where('recipient_key', '=', fold(recipient))
  if (outcome !== undefined) rows = rows.where('outcome', '=', outcome)
  if (source !== undefined) rows = rows.where('source', '=', source)
  if (member !== undefined) rows = rows.where('member', '=', member)
  if (from !== undefined) rows = rows.where('started_at', '>=', from)
  if (to !== undefined) rows = rows.where('started_at', '<=', to)
  if (search === undefined) return rows
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  const columns = ['recipient', 'sender', 'reply', 'reason', 'message_id'] as const
  return rows.where((where) =>
    where.or(
      columns.map((name) => sql<boolean>`lower(${sql.ref(name)}) like ${pattern} escape '\\'`),
    ),
  )
}

function notUncertain(): AppError {
  const message = 'Only what is uncertain can be decided; what became of this delivery is known.'
  return new AppError('conflict', 'delivery_not_uncertain', message)
}
