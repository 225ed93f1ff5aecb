import { countByTransport } from '../../delivery/index.ts'
import type { CallerMautic } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { listDayAllowances } from '../../limits/index.ts'
import { chooseRoute, type RouteFacts } from '../../routing/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { TransportRow } from '../../transports/index.ts'
import { DrillReads, type UseSource } from './drill-reads.ts'
import type { DrillReport, DrillTarget } from './drill-schema.ts'

/** Which transports are down, and which parts the caller may see. */
export interface DrillQuestion {
  down: readonly TransportRow[]
  /** Whose emails and users they are; undefined for those of Mailyard itself. */
  mautic: CallerMautic | undefined
  /** The key of the caller; see `callerKey`. */
  owner: string
  hasEmails: boolean
  hasUsers: boolean
  /** Limits, and what is sent through their transports, are those of all. */
  hasLimits: boolean
}

type TargetCounts = DrillReport['targets'][number]
type EmailItem = NonNullable<DrillReport['emails']>['items'][number]
type ReachedLimit = NonNullable<DrillReport['reachedLimits']>[number]

export interface DrillOptions {
  storage: Storage
  clock: Clock
  hasDefault: boolean
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const listedMax = 200

/** Holds a fire drill: it chooses routes with the function of real sends, with some transports marked as down. */
export async function drillTransports(
  { storage, clock, hasDefault }: DrillOptions,
  question: DrillQuestion,
): Promise<Omit<DrillReport, 'down' | 'senders' | 'since'> & { since: number }> {
  const { mautic, owner, hasEmails, hasUsers, hasLimits } = question
  // An unpublished transport is skipped today already.
  const down = question.down.filter((row) => Boolean(row.is_published))
  const downById = new Map(down.map((row) => [row.id, row]))
  const reads = new DrillReads(storage.lists(owner, true), mautic?.id ?? 0, down)
  const facts: RouteFacts = { hasDefault, down: new Set(downById.keys()) }
  if (mautic !== undefined) facts.mautic = { ...mautic, row: await reads.defaultTransport() }
  const targetOf = (source: UseSource, email?: { assigned: TransportRow | undefined }) =>
    findTarget({ ...facts, ...candidatesOf(source, down[0], email) })

  const now = clock.now()
  const since = now - dayMs
  const uses = new Map<string, { emailId: number | null; source: UseSource; count: number }>()
  let deliveries = 0
  for (let after = since; after < now; after += hourMs)
    for (const { count, ...use } of await reads.countDeliveries(after, after + hourMs)) {
      deliveries += count
      const key = keyOf(use.emailId, use.source)
      uses.set(key, { ...use, count: count + (uses.get(key)?.count ?? 0) })
    }

  const targets = new Targets()
  const items: EmailItem[] = []
  let total = 0
  const addEmail = (email: Omit<EmailItem, 'deliveries'>) => {
    total += 1
    targets.add(email.to, { emails: 1 })
    if (items.length === listedMax) return
    items.push({ ...email, deliveries: uses.get(keyOf(email.email.id, email.source))?.count ?? 0 })
  }
  const naming = await reads.namingEmails()
  for (const { id, name, transport } of naming.emails)
    addEmail({
      email: { id, name },
      source: 'named',
      from: nameOf(transport),
      to: targetOf('named'),
    })
  const isOwned = await reads.ownContacts()
  /** The transports of emails that use that of the owner. */
  const assignedTo = new Map<number, TransportRow | undefined>()
  for await (const page of reads.emailPages()) {
    const usingOwner = page.filter((email) => Boolean(email.use_owner_transport))
    const ids = usingOwner.flatMap((email) => email.transport_id ?? [])
    const rows = await reads.findTransports(ids)
    for (const { id, transport_id } of usingOwner) assignedTo.set(id, rows.get(transport_id ?? 0))
    for (const { id, name, transport_id } of page) {
      const email = { id, name }
      const from = downById.get(transport_id ?? 0)
      if (from !== undefined)
        addEmail({ email, source: 'email', from: nameOf(from), to: targetOf('email') })
      if (isOwned && assignedTo.has(id)) {
        const to = targetOf('owner', { assigned: assignedTo.get(id) })
        addEmail({ email, source: 'owner', from: null, to })
      }
    }
  }
  const users = await reads.users(listedMax)
  targets.add(targetOf('owner'), { users: users.total })
  for (const { emailId, source, count } of uses.values()) {
    const email = emailId === null ? undefined : { assigned: assignedTo.get(emailId) }
    targets.add(targetOf(source, email), { deliveries: count })
  }
  return {
    since,
    deliveries,
    targets: targets.list({ hasEmails, hasUsers }),
    reachedLimits: hasLimits ? await findReachedLimits(storage, now, facts.down, targets) : null,
    emails: hasEmails ? { total, undecided: naming.undecided, items } : null,
    users: hasUsers
      ? {
          total: users.total,
          items: users.users.map(({ id, username, transport_id }) => ({
            user: { id, username },
            from: { id: transport_id, name: downById.get(transport_id)?.name ?? '' },
            to: targetOf('owner'),
          })),
        }
      : null,
  }
}

/** The facts of a message for which a transport that is down is used today. `email`: its own transport. */
function candidatesOf(
  source: UseSource,
  row: TransportRow | undefined,
  email: { assigned: TransportRow | undefined } | undefined,
): Partial<RouteFacts> {
  if (source === 'named') return { named: { text: '', rows: row === undefined ? [] : [row] } }
  if (source === 'email') return { email: { id: 0, row, useOwnerTransport: false } }
  if (source === 'mautic') return {}
  const owner = { user: { id: 0, username: '' }, row }
  return email === undefined
    ? { owner }
    : { owner, email: { id: 0, row: email.assigned, useOwnerTransport: true } }
}

function findTarget(facts: RouteFacts): DrillTarget {
  const { target } = chooseRoute(facts)
  if (target.kind === 'transport') return { kind: 'transport', transport: nameOf(target.row) }
  return { kind: target.kind === 'default' ? 'default' : 'none', transport: null }
}

function nameOf({ id, name }: TransportRow): { id: number; name: string } {
  return { id, name }
}

function keyOf(emailId: number | null, source: UseSource): string {
  return `${emailId} ${source}`
}

/** What would be sent to each target. */
class Targets {
  readonly #counts = new Map<string, TargetCounts>()

  add(to: DrillTarget, { emails = 0, users = 0, deliveries = 0 }: Partial<TargetCounts>): void {
    const key = `${to.kind} ${to.transport?.id ?? ''}`
    const before = this.#counts.get(key) ?? { to, emails: 0, users: 0, deliveries: 0 }
    this.#counts.set(key, {
      to,
      emails: before.emails + emails,
      users: before.users + users,
      deliveries: before.deliveries + deliveries,
    })
  }

  /** Those with most deliveries first. */
  list({ hasEmails, hasUsers }: Pick<DrillQuestion, 'hasEmails' | 'hasUsers'>): TargetCounts[] {
    return [...this.#counts.values()]
      .map(({ emails, users, ...counts }) => {
        return { ...counts, emails: hasEmails ? emails : 0, users: hasUsers ? users : 0 }
      })
      .filter(({ emails, users, deliveries }) => emails + users + deliveries > 0)
      .sort((one, other) => other.deliveries - one.deliveries || other.emails - one.emails)
      .slice(0, listedMax)
  }

  /** The deliveries that transports would take over, by their ids. */
  moved(): Map<number, number> {
    return new Map(
      [...this.#counts.values()].flatMap(({ to: { transport }, deliveries }) =>
        transport === null || deliveries === 0 ? [] : [[transport.id, deliveries] as const],
      ),
    )
  }
}

/** Finds the limits that do not allow the load of the last day, if some transports are down and others take over. */
async function findReachedLimits(
  storage: Storage,
  now: number,
  down: ReadonlySet<number> = new Set(),
  targets: Targets,
): Promise<ReachedLimit[]> {
  const moved = targets.moved()
  const limits = (await listDayAllowances(storage, now - (now % dayMs))).filter(({ transports }) =>
    transports.some((id) => moved.has(id)),
  )
  const ids = [...new Set(limits.flatMap(({ transports }) => transports))]
  const range = {
    from: Math.floor((now - dayMs) / hourMs) * hourMs,
    to: Math.ceil((now + 1) / hourMs) * hourMs,
  }
  const remaining = ids.filter((id) => !down.has(id))
  const counts = await countByTransport(storage, range, remaining)
  const needs = new Map(moved)
  for (const { transportId, attempted } of counts)
    needs.set(transportId, attempted + (needs.get(transportId) ?? 0))
  return limits.flatMap(({ id, name, transports, recipients: allowed }) => {
    const needed = transports.reduce((sum, each) => sum + (needs.get(each) ?? 0), 0)
    return needed > allowed ? [{ id, name, allowed, needed }] : []
  })
}
