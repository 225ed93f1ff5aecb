import { type Kysely, type RawBuilder, sql } from 'kysely'
import { emailKey } from '../../kit/email-key.ts'
import type { DatabaseKind } from '../../storage/index.ts'
import type { DeliveryOutcome, DeliveryRow, DeliveryTables } from '../table.ts'

/** Which deliveries a list has: all that is given must hold. */
export interface DeliveryQuery {
  /** Only those after this one in the list: the next page. */
  before: number | undefined
  /** How many to pass over. */
  start: number
  limit: number
  emailId?: number | undefined
  contactId?: number | undefined
  sendingId?: number | undefined
  transportId?: number | undefined
  /** Its name, as it was then. */
  transport?: string | undefined
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

/** A place in the list: the newest first, and of those of one time the one with the highest id. */
export type DeliveryPlace = Pick<DeliveryRow, 'id' | 'started_at'>

/** A condition, and whether an index has the rows for which it holds in the order of the list. */
interface Condition {
  column: keyof DeliveryRow
  value: string | number
}

/** What a query comes to: the index that it goes along, and what else must hold of the rows there. */
export interface DeliveryPlan {
  kind: DatabaseKind
  lead: Condition | undefined
  others: readonly Condition[]
  query: DeliveryQuery
}

/** Goes along the index that most likely has the fewest rows. */
export function planDeliveries(kind: DatabaseKind, query: DeliveryQuery): DeliveryPlan {
  const { contactId, recipient, sendingId, outcome, emailId, member, source } = query
  const isRare = outcome === 'uncertain' || outcome === 'started'
  const isIndexed = outcome !== 'accepted'
  const inOrder: [keyof DeliveryRow, string | number | undefined, boolean][] = [
    ['contact_id', contactId, true],
    ['recipient_key', recipient === undefined ? undefined : emailKey(recipient), true],
    ['outcome', isRare ? outcome : undefined, true],
    ['sending_id', sendingId, true],
    ['outcome', isRare ? undefined : outcome, isIndexed],
    ['email_id', emailId, true],
    ['transport_id', query.transportId, true],
    ['member', member, true],
    ['source', source, true],
    ['transport', query.transport, false],
  ]
  const given = inOrder.flatMap(([column, value, hasIndex]) =>
    value === undefined ? [] : [{ condition: { column, value }, hasIndex }],
  )
  const lead = given.find(({ hasIndex }) => hasIndex)
  const others = given.filter((each) => each !== lead).map(({ condition }) => condition)
  return { kind, lead: lead?.condition, others, query }
}

/** Whether every row on the way is one of the list. */
export function isDirect({ others, query }: DeliveryPlan): boolean {
  return others.length === 0 && query.search === undefined
}

/** The way along the index of a plan, from a place on; within the times that are asked for. */
export function wayAlong(
  db: Kysely<DeliveryTables>,
  { lead, query }: DeliveryPlan,
  after: DeliveryPlace | undefined,
) {
  const { from, to } = query
  let rows = db.selectFrom('deliveries').orderBy('started_at', 'desc').orderBy('id', 'desc')
  if (lead !== undefined) rows = rows.where(leadCondition(lead))
  if (from !== undefined) rows = rows.where('started_at', '>=', from)
  if (to !== undefined) rows = rows.where('started_at', '<=', to)
  if (after === undefined) return rows
  const { id, started_at: startedAt } = after
  return rows
    .where('started_at', '<=', startedAt)
    .where((where) => where.or([where('started_at', '<', startedAt), where('id', '<', id)]))
}

/** A word that an index is limited to must stand in the statement itself. */
function leadCondition({ column, value }: Condition): RawBuilder<boolean> {
  const right = column === 'outcome' ? sql.lit(value) : sql`${value}`
  return sql<boolean>`${sql.ref(column)} = ${right}`
}

/** What must hold of the rows on the way besides. */
export function otherConditions({ kind, others, query }: DeliveryPlan): RawBuilder<boolean>[] {
  // SQLite would leave the way for another index, and sort what it finds there.
  const plus = sql.raw(kind === 'sqlite' ? '+' : '')
  const equal = others.map(({ column, value }) =>
    column === 'transport'
      ? sql<boolean>`lower(trim(transport)) = lower(trim(${value}))`
      : sql<boolean>`${plus}${sql.ref(column)} = ${value}`,
  )
  return query.search === undefined ? equal : [...equal, contains(query.search)]
}

function contains(text: string): RawBuilder<boolean> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  // Both by the database, which may know fewer capitals than we do: what stands there is found as it stands.
  const columns = ['recipient', 'sender', 'reply', 'reason', 'message_id']
  const like = columns.map(
    (name) => sql`lower(${sql.ref(name)}) like lower(${pattern}) escape '\\'`,
  )
  return sql<boolean>`(${sql.join(like, sql` or `)})`
}
