import { sql } from 'kysely'
import { findNamedTransport, namesTransport } from '../../../core/emails/index.ts'
import type { Mautic } from '../../../core/mautic/index.ts'
import type { ResolveRoute, RouteQuestion } from '../../../core/routing/index.ts'
import type { TransportRow } from '../../../core/transports/index.ts'
import {
  type Caller,
  type CallerMautic,
  callerKey,
  noBrand,
  type OfBrand,
} from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import { ownedBy, seenBy } from '../../../platform/resource/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { DrillEmail, DrillTarget, DrillUser, TargetSum } from './drill-schema.ts'
import { brandOfAsked } from './visible-route.ts'

export interface DrillOptions {
  storage: Storage
  clock: Clock
  resolveRoute: ResolveRoute
}

export interface DrillQuestion {
  down: readonly TransportRow[]
  /** Whose emails and users they are; undefined for those of Mailyard itself. */
  mautic: (CallerMautic & Pick<Mautic, 'brand'>) | undefined
  caller: Caller
}

export interface DrillFindings {
  targets: TargetSum[]
  emails: DrillEmail[]
  users: DrillUser[]
}

interface AssignedRecord extends OfBrand {
  id: number
  name: string
  transport_id: number | null
  /** Of emails only. */
  use_owner_transport?: boolean
}

const hourMs = 3_600_000
const dayHours = 24

/** Holds a fire drill: asks for routes as real sends do, with some transports marked as down. */
export async function drillTransports(
  { storage, clock, resolveRoute }: DrillOptions,
  { mautic, caller, ...question }: DrillQuestion,
): Promise<DrillFindings> {
  // An unpublished transport is skipped today already.
  const rows = question.down.filter((row) => Boolean(row.is_published))
  const downById = new Map(rows.map(({ id, name }) => [id, { id, name }]))
  const down = new Set(downById.keys())
  const brandOf = (email?: OfBrand) =>
    mautic === undefined ? brandOfAsked(caller, email) : (mautic.brand ?? noBrand)
  const targetOf = async (of: RouteQuestion, email?: OfBrand): Promise<DrillTarget> => {
    const { target } = await resolveRoute({ ...of, brand: brandOf(email), mautic, caller, down })
    if (target.kind === 'transport')
      return { kind: 'transport', transport: { id: target.row.id, name: target.row.name } }
    return { kind: target.kind === 'default' ? 'default' : 'none', transport: null }
  }
  const reads = openReads(storage, { mautic, caller, down })

  const ofUsers = await targetOf({})
  const users = (await reads.listAssigned('user')).map(({ id, name, transport_id }) => {
    const from = downById.get(transport_id ?? 0) ?? null
    return { user: { id, username: name }, from, to: ofUsers }
  })

  const emails = new Map<number, DrillEmail>()
  /** Emails with the same transport and brand take the same route. */
  const byTransport = new Map<string, DrillTarget>()
  for (const email of await reads.listAssigned('email')) {
    const { id, name, transport_id, use_owner_transport } = email
    const from = downById.get(transport_id ?? 0) ?? null
    if (from === null && !(use_owner_transport && users.length > 0)) continue
    const key = `${transport_id} ${email.brand_id}`
    const to = byTransport.get(key) ?? (await targetOf({ emailId: id }, email))
    byTransport.set(key, to)
    emails.set(id, { email: { id, name }, from, to, deliveries: 0 })
  }
  for (const email of await reads.listNaming()) {
    const { id, name, headers } = email
    const transport = findNamedTransport(JSON.parse(headers) as Record<string, string>)
    if (transport === undefined) continue
    emails.delete(id)
    const { target } = await resolveRoute({ transport, brand: brandOf(email) })
    const from = target.kind === 'transport' ? downById.get(target.row.id) : undefined
    if (from === undefined) continue
    emails.set(id, { email: { id, name }, from, to: notSent, deliveries: 0 })
  }

  const moves: TargetSum[] = [{ to: ofUsers, emails: 0, users: users.length, deliveries: 0 }]
  const now = clock.now()
  for (let hour = 1; hour <= dayHours; hour += 1)
    for (const use of await reads.countDeliveries(now - hour * hourMs)) {
      const email = emails.get(use.email_id ?? 0)
      const deliveries = Number(use.count)
      if (email !== undefined) email.deliveries += deliveries
      const to = use.is_named ? notSent : (email?.to ?? ofUsers)
      moves.push({ to, emails: 0, users: 0, deliveries })
    }
  for (const { to } of emails.values()) moves.push({ to, emails: 1, users: 0, deliveries: 0 })
  return {
    targets: sumByTarget(moves),
    emails: [...emails.values()].sort((one, other) => other.deliveries - one.deliveries),
    users,
  }
}

/** A message that names a transport is sent through no other one. */
const notSent: DrillTarget = { kind: 'none', transport: null }

/** Those with most deliveries first. */
function sumByTarget(moves: readonly TargetSum[]): TargetSum[] {
  const sums = new Map<string, TargetSum>()
  for (const { to, emails, users, deliveries } of moves) {
    const key = `${to.kind} ${to.transport?.id}`
    const sum = sums.get(key) ?? { to, emails: 0, users: 0, deliveries: 0 }
    sum.emails += emails
    sum.users += users
    sum.deliveries += deliveries
    sums.set(key, sum)
  }
  return [...sums.values()]
    .filter(({ emails, users, deliveries }) => emails + users + deliveries > 0)
    .sort((one, other) => other.deliveries - one.deliveries || other.emails - one.emails)
}

/** The statements of a drill. They run apart from other requests, within the time limit of lists. */
function openReads(
  storage: Storage,
  question: Pick<DrillQuestion, 'mautic' | 'caller'> & { down: ReadonlySet<number> },
) {
  const { caller } = question
  const { db, isInTime } = storage.lists<object>(callerKey(caller), true)
  const mauticId = question.mautic?.id ?? 0
  const isOwn = mauticId === 0
  const down = sql.join(question.down.size === 0 ? [-1] : [...question.down])
  const naming = sql.raw(namesTransport)
  return {
    /** The emails or users that have one of the transports, and the emails that use that of the owner. */
    async listAssigned(kind: 'email' | 'user'): Promise<AssignedRecord[]> {
      const of = isOwn ? '' : 'mautic_'
      const [id, name] = [sql.ref(`assigned.${kind}_id`), kind === 'email' ? 'name' : 'username']
      const usesOwner = kind === 'email' ? sql`, use_owner_transport` : sql``
      const orUsesOwner = kind === 'email' ? sql`or use_owner_transport` : sql``
      const isOfMautic = isOwn ? sql`` : sql`and records.mautic_id = assigned.mautic_id`
      const isOfBrand = isOwn && kind === 'email'
      const brand = isOfBrand ? sql`records.brand_id` : sql.lit(noBrand)
      // Users have no brand.
      const isSeen = isOfBrand
        ? seenBy(caller, 'records.brand_id')
        : sql`${sql.lit(caller.brands === 'all')}`
      const isAsked = isOwn ? isSeen : sql`assigned.mautic_id = ${mauticId}`
      const { rows } = await sql<AssignedRecord>`
        select ${id} as id, coalesce(records.${sql.ref(name)}, '') as name, transport_id, ${brand} as brand_id ${usesOwner}
        from ${sql.table(`${of}${kind}_transports`)} as assigned
          left join ${sql.table(`${of}${kind}s`)} as records on records.id = ${id} ${isOfMautic}
        where ${isAsked} and (transport_id in (${down}) ${orUsesOwner}) and ${isInTime}
        order by 1`.execute(db)
      return rows
    },
    /** Emails whose header names a transport. Those of a Mautic are not known. */
    async listNaming(): Promise<(OfBrand & { id: number; name: string; headers: string })[]> {
      if (!isOwn) return []
      const { rows } = await sql<OfBrand & { id: number; name: string; headers: string }>`
        select id, name, brand_id, headers from emails
        where ${naming} and ${seenBy(caller)} and ${isInTime} order by id`.execute(db)
      return rows
    },
    /** Counts the deliveries of one hour through the transports, by email and by whether they named theirs. */
    async countDeliveries(after: number) {
      // The step of a trace that has the transport is the one that was taken.
      const isNamed = sql`trace like '%"source":"named","transport":{"id":' || transport_id || ',%'`
      const { rows } = await sql<{ email_id: number | null; is_named: boolean; count: number }>`
        select email_id, case when ${isNamed} then 1 else 0 end as is_named, count(*) as count
        from deliveries where transport_id in (${down}) and started_at > ${after}
          and started_at <= ${after + hourMs} and mautic_id = ${mauticId} and ${ownedBy(caller)} and ${isInTime}
        group by 1, 2`.execute(db)
      return rows
    },
  }
}
