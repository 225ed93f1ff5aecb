import { type Kysely, sql } from 'kysely'
import type { EmailRow } from '../../emails/index.ts'
import { namesTransport } from '../../emails/index.ts'
import type { CallerMautic } from '../../kit/caller.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { pause } from '../../kit/pause.ts'
import type { MauticTables } from '../../mautic/index.ts'
import { dependsOnContact, findNamedTransport } from '../../messages/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { TransportRow, TransportTables } from '../../transports/index.ts'

/** An email whose route may change, and the transport that is assigned to it. */
export interface EmailSubject {
  id: number
  name: string
  transport_id: number | null
}

/** A user whose transport is down. */
export interface UserSubject {
  id: number
  username: string
  transport_id: number
}

/** An email that names a transport in its headers. */
export interface NamingEmail {
  id: number
  name: string
  /** What the header says. */
  text: string
}

/** The emails that name a transport. `undecided`: those whose header depends on the contact. */
export interface NamingEmails {
  emails: NamingEmail[]
  undecided: number
}

/** The rows that one query reads. */
const rowsPerQuery = 500

const naming = sql.raw(namesTransport)
const namesNone = sql`email_id not in (select id from emails where ${naming})`

/** The queries of a fire drill. Each is bounded; the caller pages. */
export interface DrillSubjects {
  findTransports: (ids: readonly number[]) => Promise<Map<number, TransportRow>>
  /** Emails with one of these transports that name none themselves. */
  assignedEmails: (ids: readonly number[]) => Subjects<EmailSubject>
  /** Emails that use the transport of the owner and name none themselves. */
  ownerEmails: () => Subjects<EmailSubject>
  /** How many of `ownerEmails` have each transport of their own. */
  countOwnerEmails: () => Promise<{ transport_id: number | null; count: number }[]>
  /** Users with one of these transports. */
  users: (ids: readonly number[]) => Subjects<UserSubject>
  /** Whether one of these users owns a contact. */
  ownContacts: (transportIds: readonly number[]) => Promise<boolean>
  /** Emails whose header names one of these transports, by id or by a name that only one has. */
  namingEmails: (rows: readonly TransportRow[]) => Promise<NamingEmails>
  /** The transports that are assigned to emails, by the id of the email. */
  transportsOfEmails: (ids: readonly number[]) => Promise<Map<number, number | null>>
  /** The default transport of the Mautic. */
  defaultTransport: () => Promise<TransportRow | undefined>
}

/** Some rows, in id order. */
export interface Subjects<Row> {
  count: () => Promise<number>
  page: (start: number, limit: number) => Promise<Row[]>
}

/** Opens the queries for the emails and users of a Mautic, or of Mailyard itself if undefined; `owner` is the key of the caller. */
export function openDrillSubjects(
  storage: Storage,
  mautic: Pick<CallerMautic, 'id'> | undefined,
  owner: string,
): DrillSubjects {
  const { db } = storage.lists<object>(owner, true)
  return mautic === undefined ? openOwnSubjects(db) : openMauticSubjects(db, mautic.id)
}

const listOf = (ids: readonly number[]) => sql.join(ids.length === 0 ? [-1] : ids)

function openOwnSubjects(db: Kysely<object>): DrillSubjects {
  const assigned = {
    emails: sql`email_transports where 1 = 1`,
    namesNone,
    users: sql`user_transports where 1 = 1`,
    email: sql`emails.id, emails.name, found.transport_id`,
    user: sql`users.id, users.username, found.transport_id`,
    joinEmails: sql`join emails on emails.id = found.email_id`,
    joinUsers: sql`join users on users.id = found.user_id`,
  }
  return {
    ...openAssigned(db, assigned),
    async ownContacts(transportIds) {
      const { rows } = await sql`select 1 from user_transports
        where transport_id in (${listOf(transportIds)})
        and exists (select 1 from contacts where contacts.owner_id = user_transports.user_id)
        limit 1`.execute(db)
      return rows.length > 0
    },
    namingEmails: (rows) => findNamingEmails(db, rows),
    defaultTransport: async () => undefined,
  }
}

/** What Mailyard does not know of a Mautic: its contacts, and the headers of its emails. */
function openMauticSubjects(db: Kysely<object>, mauticId: number): DrillSubjects {
  const joined = (table: string, column: string) =>
    sql`left join ${sql.table(table)} as known on known.mautic_id = ${mauticId} and known.id = found.${sql.ref(column)}`
  const assigned = {
    emails: sql`mautic_email_transports where mautic_id = ${mauticId}`,
    namesNone: sql`1 = 1`,
    users: sql`mautic_user_transports where mautic_id = ${mauticId}`,
    email: sql`found.email_id as id, coalesce(known.name, '') as name, found.transport_id`,
    user: sql`found.user_id as id, coalesce(known.username, '') as username, found.transport_id`,
    joinEmails: joined('mautic_emails', 'email_id'),
    joinUsers: joined('mautic_users', 'user_id'),
  }
  const subjects = openAssigned(db, assigned)
  return {
    ...subjects,
    ownContacts: async (transportIds) => (await subjects.users(transportIds).count()) > 0,
    namingEmails: async () => ({ emails: [], undecided: 0 }),
    async defaultTransport() {
      const query = db.withTables<MauticTables>().selectFrom('mautics').select('transport_id')
      const { transport_id: id } = (await query.where('id', '=', mauticId).executeTakeFirst()) ?? {}
      return id == null ? undefined : (await findTransports(db, [id])).get(id)
    },
  }
}

/** The tables of assignments, each with a condition, and what is shown of their rows. `namesNone`: emails that name no transport. */
type AssignedTables = Record<
  'emails' | 'namesNone' | 'users' | 'email' | 'user' | 'joinEmails' | 'joinUsers',
  ReturnType<typeof sql>
>

function openAssigned(
  db: Kysely<object>,
  tables: AssignedTables,
): Omit<DrillSubjects, 'ownContacts' | 'namingEmails' | 'defaultTransport'> {
  const emails = (where: ReturnType<typeof sql>): Subjects<EmailSubject> =>
    subjects(db, {
      key: sql`email_id`,
      from: sql`${tables.emails} and ${tables.namesNone} and ${where}`,
      columns: tables.email,
      join: tables.joinEmails,
    })
  const usesOwner = sql`use_owner_transport`
  return {
    findTransports: (ids) => findTransports(db, ids),
    assignedEmails: (ids) => emails(sql`transport_id in (${listOf(ids)})`),
    ownerEmails: () => emails(usesOwner),
    async countOwnerEmails() {
      const { rows } = await sql<{ transport_id: number | null; count: number }>`
        select transport_id, count(*) as count from ${tables.emails}
        and ${tables.namesNone} and ${usesOwner} group by 1`.execute(db)
      return rows.map((row) => ({ ...row, count: Number(row.count) }))
    },
    users: (ids) =>
      subjects(db, {
        key: sql`user_id`,
        from: sql`${tables.users} and transport_id in (${listOf(ids)})`,
        columns: tables.user,
        join: tables.joinUsers,
      }),
    async transportsOfEmails(ids) {
      const transportIds = new Map<number, number | null>()
      for (const batch of partsOf(ids)) {
        const { rows } = await sql<{ email_id: number; transport_id: number | null }>`
          select email_id, transport_id from ${tables.emails}
          and email_id in (${listOf(batch)})`.execute(db)
        for (const row of rows) transportIds.set(row.email_id, row.transport_id)
        await pause()
      }
      return transportIds
    },
  }
}

/** Rows of a small table; only those of a page are joined with a large one. */
interface SubjectQuery {
  key: ReturnType<typeof sql>
  from: ReturnType<typeof sql>
  columns: ReturnType<typeof sql>
  join: ReturnType<typeof sql>
}

function subjects<Row>(
  db: Kysely<object>,
  { key, from, columns, join }: SubjectQuery,
): Subjects<Row> {
  return {
    async count() {
      const query = sql<{ count: number }>`select count(*) as count from ${from}`
      const { rows } = await query.execute(db)
      return Number(rows[0]?.count ?? 0)
    },
    async page(start, limit) {
      const page = sql`select ${key}, transport_id from ${from}
        order by ${key} limit ${limit} offset ${start}`
      const { rows } = await sql<Row>`select ${columns} from (${page}) as found
        ${join} order by 1`.execute(db)
      return rows
    },
  }
}

async function findTransports(
  db: Kysely<object>,
  ids: readonly number[],
): Promise<Map<number, TransportRow>> {
  const rows = new Map<number, TransportRow>()
  for (const batch of partsOf([...new Set(ids)])) {
    const query = db.withTables<TransportTables>().selectFrom('transports').selectAll()
    for (const row of await query.where('id', 'in', batch).execute()) rows.set(row.id, row)
    await pause()
  }
  return rows
}

function partsOf(ids: readonly number[]): number[][] {
  const parts: number[][] = []
  for (let start = 0; start < ids.length; start += rowsPerQuery)
    parts.push(ids.slice(start, start + rowsPerQuery))
  return parts
}

async function findNamingEmails(
  db: Kysely<object>,
  rows: readonly TransportRow[],
): Promise<NamingEmails> {
  const ids = new Set(rows.map(({ id }) => id))
  const names = await uniqueNames(db, rows)
  const emails: NamingEmail[] = []
  let undecided = 0
  for (let after = 0; ; ) {
    const { rows: page } = await sql<Pick<EmailRow, 'id' | 'name' | 'headers' | 'is_twig'>>`
      select id, name, headers, is_twig from emails where ${naming} and id > ${after}
      order by id limit ${rowsPerQuery}`.execute(db)
    for (const email of page) {
      const text = findNamedTransport(JSON.parse(email.headers) as Record<string, string>)
      if (dependsOnContact(email)) undecided += 1
      else if (text !== undefined && (ids.has(idOf(text)) || names.has(nameKey(text))))
        emails.push({ id: email.id, name: email.name, text })
    }
    const last = page.at(-1)
    if (last === undefined || page.length < rowsPerQuery) return { emails, undecided }
    after = last.id
    await pause()
  }
}

function idOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : -1
}

/** The names of transports that no other transport has. A name that several have finds none. */
async function uniqueNames(
  db: Kysely<object>,
  rows: readonly TransportRow[],
): Promise<Set<string>> {
  const keys = [...new Set(rows.map(({ name_key: key }) => key))]
  const unique = new Set<string>()
  for (let start = 0; start < keys.length; start += rowsPerQuery) {
    const batch = keys.slice(start, start + rowsPerQuery)
    const { rows } = await sql<{ name_key: string }>`select name_key from transports
      where name_key in (${sql.join(batch)}) group by name_key having count(*) = 1`.execute(db)
    for (const { name_key: key } of rows) unique.add(key)
  }
  return unique
}
