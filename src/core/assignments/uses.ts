import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import { usersOf } from '../../platform/auth/index.ts'
import {
  type Consequence,
  joinConsequences,
  ownedBy,
  seenBy,
} from '../../platform/resource/index.ts'
import type { TransportTables } from '../transports/index.ts'
import type { AssignmentTables } from './table.ts'

/** What depends on a transport. */
export interface TransportUses {
  emails: number
  users: number
  /** The Mautics whose default transport it is. */
  mautics: number
}

/** The ids of the emails and users that a transport is assigned to, in one namespace. */
export interface AssignedIds {
  /** The Mautic; null for Mailyard's own emails and users. */
  mautic: number | null
  /** The name of the Mautic. */
  name: string | null
  emails: number[]
  users: number[]
}

/**
 * Describes what a deleted transport is assigned to: `1 email and 2 users lose it.`, later `It was assigned to 1 email and
 * 2 users.` Undefined for nothing.
 */
export function describeAssignments(assigned: readonly AssignedIds[]): Consequence | undefined {
  const consequences = assigned.map(({ name, emails, users }) => {
    const counts = [countOf(emails.length, 'email'), countOf(users.length, 'user')].flat()
    const owner = name === null ? '' : ` of Mautic ${JSON.stringify(name)}`
    const targets = `${counts.join(' and ')}${owner}`
    return {
      planned: `${targets} ${emails.length + users.length === 1 ? 'loses' : 'lose'} it.`,
      done: `It was assigned to ${targets}.`,
    }
  })
  return joinConsequences(consequences)
}

/** Reads which emails and users a transport is assigned to, Mailyard's own first. */
export async function readAssigned(
  transportId: number,
  db: Kysely<object>,
): Promise<AssignedIds[]> {
  const read = async (of: 'email' | 'user') => {
    const { rows } = await sql<{ mautic: number | null; name: string | null; id: number }>`
      select null as mautic, null as name, ${sql.ref(`${of}_id`)} as id
        from ${sql.table(`${of}_transports`)} where transport_id = ${transportId}
      union all
      select mautic_id as mautic, mautics.name, ${sql.ref(`${of}_id`)} as id
        from ${sql.table(`mautic_${of}_transports`)} as assigned
        join mautics on mautics.id = assigned.mautic_id
        where assigned.transport_id = ${transportId}`.execute(db)
    return rows
  }
  const byMautic = new Map<number | null, AssignedIds>()
  for (const [kind, rows] of [
    ['emails', await read('email')],
    ['users', await read('user')],
  ] as const)
    for (const { mautic, name, id } of rows) {
      const assigned = byMautic.get(mautic) ?? { mautic, name, emails: [], users: [] }
      byMautic.set(mautic, assigned)
      assigned[kind].push(id)
    }
  return [...byMautic.values()].sort((one, other) => (one.mautic ?? 0) - (other.mautic ?? 0))
}

function countOf(count: number, noun: string): string[] {
  return count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`]
}

/** Describes what depends on a transport: `3 emails, 1 user and 1 Mautic`; undefined for nothing. */
export function describeUses({ emails, users, mautics }: TransportUses): string | undefined {
  const counts = [countOf(emails, 'email'), countOf(users, 'user'), countOf(mautics, 'Mautic')]
  return counts.flat().length === 0 ? undefined : listFormat.format(counts.flat())
}

const listFormat = new Intl.ListFormat('en-GB')

/**
 * How many emails and users transports are assigned to, and how many Mautics depend on them, in the order of the ids: those of
 * the caller's Mautic; for other callers Mailyard's own and those of all Mautics together, as far as they see them.
 */
export async function countUses(
  db: Kysely<object>,
  ids: readonly number[],
  caller: Pick<Caller, 'mautic' | 'brands'>,
): Promise<TransportUses[]> {
  const { mautic } = caller
  if (ids.length === 0) return []
  const countIn = async (table: string, isCounted: RawBuilder<SqlBool>) => {
    const { rows } = await sql<{ transport_id: number; uses: number }>`
      select transport_id, count(*) as uses from ${sql.table(table)}
      where transport_id in (${sql.join(ids)}) and ${isCounted} group by transport_id`.execute(db)
    return new Map(rows.map((row) => [row.transport_id, Number(row.uses)]))
  }
  const isOfCaller = mautic === undefined ? ownedBy(caller) : sql<SqlBool>`id = ${mautic.id}`
  const isOfMautic = sql<SqlBool>`mautic_id in (select id from mautics where ${isOfCaller})`
  const sum = async (table: string, isSeen: RawBuilder<SqlBool>) => {
    const counts = [await countIn(`mautic_${table}`, isOfMautic)]
    if (mautic === undefined) counts.push(await countIn(table, isSeen))
    return (id: number) => counts.reduce((total, byId) => total + (byId.get(id) ?? 0), 0)
  }
  const isSeenEmail = sql<SqlBool>`email_id in (select id from emails where ${seenBy(caller)})`
  const isSeenUser = sql<SqlBool>`user_id in (select id from users where ${usersOf(caller)})`
  const emails = await sum('email_transports', isSeenEmail)
  const users = await sum('user_transports', isSeenUser)
  const mautics = await countIn('mautics', isOfCaller)
  return ids.map((id) => ({
    emails: emails(id),
    users: users(id),
    mautics: mautics.get(id) ?? 0,
  }))
}

/** Describes the assignment that ends with a deleted user. Undefined where the user has none. */
export async function describeUserAssignment(
  userId: number,
  db: Kysely<object>,
): Promise<Consequence | undefined> {
  const query = db.withTables<AssignmentTables>().selectFrom('user_transports')
  const assigned = query.select('transport_id').where('user_id', '=', userId)
  const id = (await assigned.executeTakeFirst())?.transport_id
  if (id === undefined) return undefined
  const assignment = `The assignment of transport ${id} to the user`
  return { planned: `${assignment} ends.`, done: `${assignment} has ended.` }
}

/** What an email of Mailyard is sent through. */
interface AssignedTransport {
  transport: { id: number; name: string; isPublished: boolean } | null
  useOwnerTransport: boolean
}

/** Reads the transports that a caller sees of emails of Mailyard, by the ids of the emails; those without an assignment are left out. */
export async function readAssignedTransports(
  db: Kysely<object>,
  emailIds: readonly number[],
  caller: Pick<Caller, 'brands'>,
): Promise<Map<number, AssignedTransport>> {
  if (emailIds.length === 0) return new Map()
  const rows = await db
    .withTables<AssignmentTables & TransportTables>()
    .selectFrom('email_transports as assigned')
    .leftJoin('transports', (join) =>
      join
        .onRef('transports.id', '=', 'assigned.transport_id')
        .on(seenBy(caller, 'transports.brand_id')),
    )
    .select(['assigned.email_id', 'assigned.use_owner_transport'])
    .select(['transports.id', 'transports.name', 'transports.is_published'])
    .where('assigned.email_id', 'in', emailIds)
    .execute()
  return new Map(
    rows.map(
      ({ email_id: emailId, use_owner_transport: useOwner, id, name, is_published: isOn }) => {
        const transport =
          id === null || name === null ? null : { id, name, isPublished: Boolean(isOn) }
        return [emailId, { transport, useOwnerTransport: Boolean(useOwner) }]
      },
    ),
  )
}
