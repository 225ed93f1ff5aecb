import type { CallerMautic } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { chooseRoute, type RouteFacts, type RouteTarget } from '../../routing/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { TransportRow } from '../../transports/index.ts'
import { countDeliveryUses, type DeliveryUse, type UseSource } from './drill-deliveries.ts'
import { findReachedLimits, type ReachedLimit } from './drill-limits.ts'
import {
  type DrillSubjects,
  type EmailSubject,
  type NamingEmail,
  openDrillSubjects,
  type UserSubject,
} from './drill-subjects.ts'

/** Which transports are down, and which rows of the answer to return. */
export interface DrillQuestion {
  down: readonly TransportRow[]
  /** Whose emails and users they are; undefined for those of Mailyard itself. */
  mautic: CallerMautic | undefined
  start: number
  limit: number
  /** The key of the caller; see `callerKey`. */
  owner: string
  /** The parts that the caller may see. */
  hasEmails: boolean
  hasUsers: boolean
  /** Limits, and what is sent through their transports, are those of all. */
  hasLimits: boolean
}

/** Where a message would be sent: another transport, the default, or nowhere. */
export interface DrillTarget {
  kind: 'transport' | 'default' | 'none'
  transport: { id: number; name: string } | null
}

/** An email whose messages would be sent elsewhere. */
export interface DrillEmail {
  email: { id: number; name: string }
  source: Exclude<UseSource, 'mautic'>
  /** Null for the transports of several owners. */
  from: { id: number; name: string } | null
  to: DrillTarget
  /** The deliveries of the last day. */
  deliveries: number
}

/** A user whose transport is down: where messages without an email would be sent. */
export interface DrillUser {
  user: { id: number; username: string }
  from: { id: number; name: string }
  to: DrillTarget
}

/** Rows of a part, and how many there are. */
export interface DrillPart<Row> {
  total: number
  items: Row[]
}

/** What would change if transports were down. */
export interface DrillReport {
  since: number
  deliveries: number
  targets: { to: DrillTarget; emails: number; users: number; deliveries: number }[]
  /** Limits of the remaining transports that allow less than they would need. Null without `hasLimits`. */
  reachedLimits: ReachedLimit[] | null
  emails: (DrillPart<DrillEmail> & { undecided: number }) | null
  users: DrillPart<DrillUser> | null
}

export interface DrillOptions {
  storage: Storage
  clock: Clock
  hasDefault: boolean
}

const dayMs = 86_400_000

/**
 * Creates the fire drill. It chooses routes with the function of real sends, with some transports marked as down. It reads
 * in bounded steps, so that requests are served in between.
 */
export function createDrill({ storage, clock, hasDefault }: DrillOptions) {
  return async (question: DrillQuestion): Promise<DrillReport> => {
    const { mautic } = question
    const subjects = openDrillSubjects(storage, mautic, question.owner)
    const ofMautic = mautic && { ...mautic, row: await subjects.defaultTransport() }
    // An unpublished transport is skipped today already.
    const down = question.down.filter((row) => Boolean(row.is_published))
    const drill = new Drill(subjects, { down, hasDefault, mautic: ofMautic })
    const now = clock.now()
    const since = now - dayMs
    const counted = { since, mauticId: mautic?.id ?? 0 }
    for (const { id } of down)
      drill.addDeliveries(await countDeliveryUses(storage, { ...counted, transportId: id }))
    await drill.routeDeliveries()
    const emails = await drill.emails(question)
    const users = await drill.users(question)
    const changed = { down: new Set(down.map(({ id }) => id)), moved: drill.moved() }
    const reachedLimits = question.hasLimits ? await findReachedLimits(storage, now, changed) : null
    return {
      since,
      deliveries: drill.deliveries,
      targets: drill.targets(question),
      reachedLimits,
      emails: question.hasEmails ? emails : null,
      users: question.hasUsers ? users : null,
    }
  }
}

interface Counts {
  to: DrillTarget
  emails: number
  users: number
  deliveries: number
}

const targetsMax = 200

/** What all routes of one drill have in common. */
interface DrillScope extends Pick<RouteFacts, 'hasDefault' | 'mautic'> {
  down: readonly TransportRow[]
}

/** One run of the drill. */
class Drill {
  readonly #subjects: DrillSubjects
  readonly #down: ReadonlyMap<number, TransportRow>
  readonly #hasDefault: boolean
  readonly #mautic: RouteFacts['mautic']
  readonly #counts = new Map<string, Counts>()
  readonly #uses = new Map<string, DeliveryUse>()
  #deliveries = 0

  constructor(subjects: DrillSubjects, { down, hasDefault, mautic }: DrillScope) {
    this.#subjects = subjects
    this.#down = new Map(down.map((row) => [row.id, row]))
    this.#hasDefault = hasDefault
    this.#mautic = mautic
  }

  get deliveries(): number {
    return this.#deliveries
  }

  addDeliveries(uses: readonly DeliveryUse[]): void {
    for (const use of uses) {
      const key = useKey(use.emailId, use.source)
      const count = (this.#uses.get(key)?.count ?? 0) + use.count
      this.#uses.set(key, { ...use, count })
      this.#deliveries += use.count
    }
  }

  /** Counts the deliveries of the last day by where they would be sent now. */
  async routeDeliveries(): Promise<void> {
    const uses = [...this.#uses.values()]
    const emailIds = uses.flatMap(({ emailId, source }) =>
      emailId !== null && source === 'owner' ? [emailId] : [],
    )
    const assigned = await this.#subjects.transportsOfEmails([...new Set(emailIds)])
    const rows = await this.#subjects.findTransports(
      [...assigned.values()].flatMap((id) => id ?? []),
    )
    for (const { emailId, source, count } of uses) {
      const row = rows.get(assigned.get(emailId ?? 0) ?? 0)
      this.#add(this.#targetOf(source, { emailId, row }), { deliveries: count })
    }
  }

  async emails({ start, limit }: DrillQuestion): Promise<NonNullable<DrillReport['emails']>> {
    const ids = [...this.#down.keys()]
    const { emails: naming, undecided } = await this.#subjects.namingEmails([
      ...this.#down.values(),
    ])
    const assigned = this.#subjects.assignedEmails(ids)
    const assignedCount = ids.length === 0 ? 0 : await assigned.count()
    const owners = this.#subjects.ownerEmails()
    const isOwned = ids.length > 0 && (await this.#subjects.ownContacts(ids))
    const ownerCount = isOwned ? await owners.count() : 0
    this.#add(this.#targetOf('named', {}), { emails: naming.length })
    this.#add(this.#targetOf('email', {}), { emails: assignedCount })
    if (isOwned) await this.#countOwnerEmails()
    const items: DrillEmail[] = []
    // Three lists, one after the other.
    const left = () => limit - items.length
    items.push(...naming.slice(start, start + limit).map((email) => this.#namingItem(email)))
    const afterNaming = Math.max(0, start - naming.length)
    if (left() > 0 && afterNaming < assignedCount)
      items.push(...(await this.#items('email', await assigned.page(afterNaming, left()))))
    const afterAssigned = Math.max(0, afterNaming - assignedCount)
    if (left() > 0 && afterAssigned < ownerCount)
      items.push(...(await this.#items('owner', await owners.page(afterAssigned, left()))))
    return { total: naming.length + assignedCount + ownerCount, items, undecided }
  }

  async users({ start, limit }: DrillQuestion): Promise<DrillPart<DrillUser>> {
    const subjects = this.#subjects.users([...this.#down.keys()])
    const total = await subjects.count()
    this.#add(this.#targetOf('owner', {}), { users: total })
    const items = (await subjects.page(start, limit)).map((user) => this.#userItem(user))
    return { total, items }
  }

  targets({ hasEmails, hasUsers }: DrillQuestion): Counts[] {
    const sum = ({ deliveries, emails, users }: Counts) => deliveries * 1_000_000 + emails + users
    const counts = [...this.#counts.values()].map((count) => ({
      ...count,
      emails: hasEmails ? count.emails : 0,
      users: hasUsers ? count.users : 0,
    }))
    return counts
      .filter((count) => sum(count) > 0)
      .sort((one, other) => sum(other) - sum(one))
      .slice(0, targetsMax)
  }

  /** The deliveries of the last day that other transports would take over. */
  moved(): { transportId: number; deliveries: number }[] {
    return [...this.#counts.values()].flatMap(({ to: { transport }, deliveries }) =>
      transport === null || deliveries === 0 ? [] : [{ transportId: transport.id, deliveries }],
    )
  }

  async #countOwnerEmails(): Promise<void> {
    const groups = await this.#subjects.countOwnerEmails()
    const rows = await this.#subjects.findTransports(
      groups.flatMap(({ transport_id: id }) => id ?? []),
    )
    for (const { transport_id: id, count } of groups)
      this.#add(this.#targetOf('owner', { emailId: 0, row: rows.get(id ?? 0) }), { emails: count })
  }

  #namingItem({ id, name, text }: NamingEmail): DrillEmail {
    const rows = [...this.#down.values()]
    const from =
      rows.find((row) => String(row.id) === text) ??
      rows.find(({ name_key: key }) => key === nameKey(text))
    return {
      email: { id, name },
      source: 'named',
      from: from === undefined ? null : { id: from.id, name: from.name },
      to: this.#targetOf('named', { named: from }),
      deliveries: this.#uses.get(useKey(id, 'named'))?.count ?? 0,
    }
  }

  async #items(source: 'email' | 'owner', page: readonly EmailSubject[]): Promise<DrillEmail[]> {
    const rows = await this.#subjects.findTransports(
      page.flatMap(({ transport_id: id }) => id ?? []),
    )
    return page.map(({ id, name, transport_id: transportId }) => {
      const row = rows.get(transportId ?? 0)
      return {
        email: { id, name },
        source,
        from: source === 'owner' || row === undefined ? null : { id: row.id, name: row.name },
        to: this.#targetOf(source, { emailId: id, row }),
        deliveries: this.#uses.get(useKey(id, source))?.count ?? 0,
      }
    })
  }

  #userItem({ id, username, transport_id: transportId }: UserSubject): DrillUser {
    const row = this.#down.get(transportId)
    return {
      user: { id, username },
      from: { id: transportId, name: row?.name ?? '' },
      to: this.#targetOf('owner', {}),
    }
  }

  /** Chooses the route as a send does, with the down transport as the candidate that is used today. */
  #targetOf(
    source: UseSource,
    {
      emailId = null,
      row,
      named,
    }: {
      emailId?: number | null
      row?: TransportRow | undefined
      named?: TransportRow | undefined
    },
  ): DrillTarget {
    const [any] = this.#down.values()
    const down = new Set(this.#down.keys())
    const facts: RouteFacts = { hasDefault: this.#hasDefault, mautic: this.#mautic, down }
    if (source === 'named') {
      const rows = [named ?? any].flatMap((one) => one ?? [])
      facts.named = { text: '', rows }
    } else if (source === 'email') {
      facts.email = { id: emailId ?? 0, row: any, useOwnerTransport: false }
    } else if (source === 'owner') {
      facts.owner = { user: { id: 0, username: '' }, row: any }
      if (emailId !== null) facts.email = { id: emailId, row, useOwnerTransport: true }
    }
    return toDrillTarget(chooseRoute(facts).target)
  }

  #add(to: DrillTarget, more: Partial<Omit<Counts, 'to'>>): void {
    const key = `${to.kind} ${to.transport?.id ?? ''}`
    const { emails, users, deliveries } = this.#counts.get(key) ?? {
      emails: 0,
      users: 0,
      deliveries: 0,
    }
    this.#counts.set(key, {
      to,
      emails: emails + (more.emails ?? 0),
      users: users + (more.users ?? 0),
      deliveries: deliveries + (more.deliveries ?? 0),
    })
  }
}

function useKey(emailId: number | null, source: UseSource): string {
  return `${emailId} ${source}`
}

function toDrillTarget(target: RouteTarget): DrillTarget {
  if (target.kind === 'transport') {
    const { id, name } = target.row
    return { kind: 'transport', transport: { id, name } }
  }
  return { kind: target.kind === 'default' ? 'default' : 'none', transport: null }
}
