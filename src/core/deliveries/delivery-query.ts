import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Caller, noBrand, owns } from '../../kit/caller.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { ReplyClass } from '../../libraries/mailer/index.ts'
import type { DatabaseFeatures } from '../../platform/storage/index.ts'
import type { DeliveryEventType, DeliveryRow, DeliveryTables } from '../delivery/index.ts'
import { type DeliveryOutcome, deliveryOutcomes } from '../delivery/index.ts'

/** The filters of the list; a delivery must match all of them. */
export interface DeliveryQuery {
  /** Only deliveries after this id in the list: the next page. */
  after: number | undefined
  /** How many to skip. */
  start: number
  limit: number
  /** Of messages of these brands. Default: of all. See `visibleBrands`. */
  brands?: readonly number[] | undefined
  /** Of messages of this Mautic, whose ids email and contact have. Default: of all; ids are Mailyard's own. */
  mauticId?: number | undefined
  emailId?: number | undefined
  contactId?: number | undefined
  transportId?: number | undefined
  /** The name that the transport had then. */
  transport?: string | undefined
  /** See `addressPattern`. */
  recipient?: string | undefined
  /** Of the envelope; see `addressPattern`. */
  sender?: string | undefined
  /** Part of it. */
  subject?: string | undefined
  /** With or without its angle brackets. */
  messageId?: string | undefined
  outcomes?: readonly DeliveryOutcome[] | undefined
  classes?: readonly ReplyClass[] | undefined
  /** Of which one is the gravest event. */
  events?: readonly DeliveryEventType[] | undefined
  source?: DeliveryRow['source'] | undefined
  member?: string | undefined
  /** Milliseconds since the epoch. */
  from?: number | undefined
  to?: number | undefined
  /** Part of recipient, sender, subject, reply, reason or Message-ID. */
  search?: string | undefined
}

/** No brand has this id. */
const noOne = -1

/** Returns the brands, of those that a caller asks for, whose messages they see; undefined for all messages. Never empty. */
export function visibleBrands(
  caller: Pick<Caller, 'brands'>,
  asked?: readonly number[],
): readonly number[] | undefined {
  const { brands } = caller
  if (brands === 'all') return asked
  const own = asked?.filter((brand) => owns(caller, brand)) ?? brands
  return own.length === 0 ? [noOne] : own
}

/** Says of each whole address in a query that found nothing how parts of addresses are found. */
export function warnOfWholeAddresses({
  recipient,
  sender,
}: Pick<DeliveryQuery, 'recipient' | 'sender'>): string[] {
  return Object.entries({ recipient, sender }).flatMap(([name, text]) =>
    isWholeAddress(text)
      ? [`No ${name} is exactly "${text}". For the beginning of an address, write "${text}*".`]
      : [],
  )
}

/** A position in the list, which is sorted by time and id, both descending. */
export type DeliveryPosition = Pick<DeliveryRow, 'id' | 'started_at'>

/** The column has one of the values. */
interface Condition {
  column: keyof DeliveryRow
  values: readonly (string | number)[]
}

/** How a query is executed: the condition whose index is scanned, and the other conditions. */
export interface DeliveryPlan {
  lead: Condition | undefined
  /** Conditions that the index covers as well. */
  covered: readonly Expression<SqlBool>[]
  others: readonly Expression<SqlBool>[]
  query: DeliveryQuery
}

/** Stands for any text in an address. */
const wildcard = '*'

/**
 * Returns the pattern of a filter by address: a part of an address is found anywhere (`ann`), at the beginning (`ann@`), or at
 * the end (`@example.com`). `*` stands for any text. Anything else is a whole address, also a text that says nothing (blank
 * or `@`), which finds none: it must not become a filter that finds all.
 */
function addressPattern(text: string): string {
  const value = text.trim()
  if (value.includes(wildcard) || saysNothing(value)) return value
  if (!value.includes('@')) return `*${value}*`
  if (value.startsWith('@')) return value.endsWith('@') ? value : `*${value}`
  return value.endsWith('@') ? `${value}*` : value
}

/** Whether a filter by text leaves nothing out: it is blank, or has only `*` and `@`. */
export function saysNothing(text: string): boolean {
  return /^[*@\s]*$/.test(text)
}

/** Whether a filter by address is a whole address. */
export function isWholeAddress(text: string | undefined): text is string {
  return text !== undefined && !addressPattern(text).includes(wildcard)
}

/**
 * Plans a query: it scans the index that most likely has the fewest rows.
 *
 * @param isInTime See `ListConditions`; it stands before conditions that no index covers.
 */
export function planDeliveries(
  storage: DatabaseFeatures,
  query: DeliveryQuery,
  isInTime: RawBuilder<boolean>,
): DeliveryPlan {
  const { recipient, messageId } = query
  const outcomes = query.outcomes?.length === deliveryOutcomes.length ? undefined : query.outcomes
  const isRare = outcomes?.every((each) => each === 'uncertain' || each === 'started') === true
  const isIndexed = outcomes?.includes('accepted') === false
  const isDelivered = query.events?.includes('delivered') === true
  const one = <Value>(value: Value | undefined) => (value === undefined ? undefined : [value])
  const isNamespaced = query.emailId !== undefined || query.contactId !== undefined
  const mauticId = query.mauticId ?? (isNamespaced ? 0 : undefined)
  const inOrder: [keyof DeliveryRow, readonly (string | number)[] | undefined, boolean][] = [
    ['contact_id', one(query.contactId), true],
    ['recipient_key', isWholeAddress(recipient) ? [emailKey(recipient)] : undefined, true],
    ['outcome', isRare ? outcomes : undefined, true],
    ['event', isDelivered ? undefined : query.events, true],
    ['outcome', isRare ? undefined : outcomes, isIndexed],
    ['email_id', one(query.emailId), true],
    // Most deliveries have this one.
    ['event', isDelivered ? query.events : undefined, true],
    ['mautic_id', one(mauticId), mauticId !== 0],
    ['brand_id', query.brands, query.brands?.includes(noBrand) === false],
    ['transport_id', one(query.transportId), true],
    ['member', one(query.member), true],
    ['class', query.classes, false],
    ['source', one(query.source), true],
    ['message_id', messageId === undefined ? undefined : [bracketed(messageId)], false],
  ]
  const given = inOrder.flatMap(([column, values, hasIndex]) =>
    values === undefined ? [] : [{ column, values, hasIndex }],
  )
  const lead = given.find(({ hasIndex }) => hasIndex)
  const isCovered = ({ column }: Condition) =>
    column === 'mautic_id' && (lead?.column === 'email_id' || lead?.column === 'contact_id')
  const rest = given.filter((each) => each !== lead)
  const equal = rest.filter((each) => !isCovered(each)).map((each) => isOneOf(storage, each))
  const covered = rest.filter(isCovered).map(({ column, values }) => isLead(column, values[0] ?? 0))
  const others = [...equal, ...textConditions(query)]
  if (others.length > 0) others.unshift(isInTime)
  return { lead, covered, others, query }
}

function bracketed(messageId: string): string {
  const text = messageId.trim()
  return text.startsWith('<') ? text : `<${text}>`
}

/** Whether every scanned row matches the query. */
export function isDirect({ others }: DeliveryPlan): boolean {
  return others.length === 0
}

/** Returns the text before the `*` of a recipient such as `ann*`; undefined for any other. */
export function recipientPrefix({ recipient }: DeliveryQuery): string | undefined {
  const pattern = addressPattern(recipient ?? wildcard)
  if (pattern.indexOf(wildcard) !== pattern.length - 1) return undefined
  const prefix = emailKey(pattern.slice(0, -1))
  return prefix === '' ? undefined : prefix
}

/** The part of the list that is read. */
export interface DeliverySlice {
  /** The first row comes after it. */
  after: DeliveryPosition | undefined
  /** The last row that may be read. */
  until?: DeliveryPosition | undefined
  /** Whether rows must match the conditions that the index does not cover. */
  isFiltered: boolean
  offset: number
  limit: number
}

const where = expressionBuilder<DeliveryTables, 'deliveries'>()
const inOrder = sql`order by started_at desc, id desc`

/** Selects rows of the plan's index. With several values, those of each are read in order and merged. */
export function selectSlice(
  plan: DeliveryPlan,
  { offset, limit, ...slice }: DeliverySlice,
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { lead } = plan
  const conditions = sliceConditions(plan, slice)
  const read = (value: string | number | undefined) => {
    const own = lead === undefined || value === undefined ? [] : [isLead(lead.column, value)]
    return sql`select ${columns} from deliveries where ${where.and([...own, ...conditions])} ${inOrder}`
  }
  const values = lead?.values ?? []
  if (values.length < 2) return sql`${read(values[0])} limit ${limit} offset ${offset}`
  const parts = values.map(
    (value) => sql`select * from (${read(value)} limit ${offset + limit}) as part`,
  )
  return sql`select * from (${sql.join(parts, sql` union all `)}) as parts
    ${inOrder} limit ${limit} offset ${offset}`
}

/** Greater than any text that has the prefix before it: recipients are compared by their bytes. */
const lastCharacter = '\u{10FFFF}'

/** Selects the ids of the deliveries to recipients with a prefix. */
export function selectByPrefix(prefix: string, limit: number) {
  return where
    .selectFrom('deliveries')
    .select('id')
    .where('recipient_key', '>=', prefix)
    .where('recipient_key', '<', prefix + lastCharacter)
    .limit(limit)
}

/** Selects rows among few ids, which it finds before it sorts them. */
export function selectAmong(
  storage: DatabaseFeatures,
  plan: DeliveryPlan,
  { ids, ...slice }: DeliverySlice & { ids: Expression<unknown> },
): RawBuilder<unknown> {
  const { lead } = plan
  const own = lead === undefined ? [] : [isOneOf(storage, lead)]
  const conditions = where.and([...own, ...sliceConditions(plan, slice)])
  // Without the fence a planner with statistics might read the whole table in the order of the list.
  return sql`with found as materialized ${ids},
    matching as (select deliveries.* from found cross join deliveries
      where deliveries.id = found.id ${storage.fence})
    select * from matching where ${conditions} ${inOrder} limit ${slice.limit} offset ${slice.offset}`
}

function sliceConditions(
  { covered, others, query: { from, to } }: DeliveryPlan,
  { after, until, isFiltered }: Pick<DeliverySlice, 'after' | 'until' | 'isFiltered'>,
): Expression<SqlBool>[] {
  const isAfter = ({ id, started_at: at }: DeliveryPosition) =>
    where('started_at', '<=', at).and(where('started_at', '<', at).or('id', '<', id))
  const isUntil = ({ id, started_at: at }: DeliveryPosition) =>
    where('started_at', '>=', at).and(where('started_at', '>', at).or('id', '>=', id))
  return [
    ...covered,
    ...(from === undefined ? [] : [where('started_at', '>=', from)]),
    ...(to === undefined ? [] : [where('started_at', '<=', to)]),
    ...(after === undefined ? [] : [isAfter(after)]),
    ...(until === undefined ? [] : [isUntil(until)]),
    ...(isFiltered ? others : []),
  ]
}

/** The value of a partial index must be a literal in the statement, not a parameter. */
function isLead(column: string, value: string | number): Expression<SqlBool> {
  if (column === 'brand_id')
    return where('brand_id', '=', Number(value)).and('brand_id', '<>', sql.lit(noBrand))
  return where(sql.ref(column), '=', column === 'outcome' ? sql.lit(value) : value)
}

function isOneOf(storage: DatabaseFeatures, { column, values }: Condition): Expression<SqlBool> {
  return where(storage.unsorted(column), 'in', values)
}

function textConditions({ transport, recipient, sender, subject, search }: DeliveryQuery) {
  const conditions: Expression<SqlBool>[] = []
  if (transport !== undefined)
    conditions.push(sql<boolean>`lower(trim(transport)) = lower(trim(${transport}))`)
  if (recipient !== undefined && !isWholeAddress(recipient))
    conditions.push(isRecipientLike('recipient_key', recipient))
  if (sender !== undefined) conditions.push(isSenderLike('sender', sender))
  if (subject !== undefined) conditions.push(contains(subject, ['subject']))
  if (search !== undefined) conditions.push(contains(search, searchedColumns))
  return conditions
}

const searchedColumns = ['recipient', 'sender', 'subject', 'reply', 'reason', 'message_id'] as const

/** Whether one of some columns holds a text, in any letter case. */
export function contains(text: string, columns: readonly string[]): Expression<SqlBool> {
  // The database lowers both sides: its lower() may know fewer letters than JavaScript's.
  const pattern = sql`lower(${`%${literal(text)}%`})`
  return where.or(columns.map((name) => isLike(sql`lower(${sql.ref(name)})`, pattern)))
}

/** Whether a column with the keys of addresses (see `emailKey`) matches a filter by address. */
export function isRecipientLike(column: string, text: string): RawBuilder<boolean> {
  return isLike(sql.ref(column), withWildcards(emailKey(addressPattern(text))))
}

/** Whether a column with addresses matches a filter by address. */
export function isSenderLike(column: string, text: string): RawBuilder<boolean> {
  const pattern = sql`lower(${withWildcards(addressPattern(text))})`
  return isLike(sql`lower(${sql.ref(column)})`, pattern)
}

function isLike(text: RawBuilder<unknown>, pattern: RawBuilder<unknown> | string) {
  return sql<boolean>`${text} like ${pattern} escape '\\'`
}

function withWildcards(text: string): string {
  return text.split(wildcard).map(literal).join('%')
}

function literal(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
