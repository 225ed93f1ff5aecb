import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type EmailRow, namesTransport } from '../../emails/index.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { dependsOnContact, findNamedTransport } from '../../messages/index.ts'
import type { RouteSource } from '../../routing/index.ts'
import type { ListReads } from '../../storage/index.ts'
import type { TransportRow, TransportTables } from '../../transports/index.ts'

/** An email with a transport, or one that uses the transport of the owner. */
export interface AssignedEmail {
  id: number
  name: string
  transport_id: number | null
  use_owner_transport: boolean
}

/** An email whose header names a transport. */
export interface NamingEmail {
  id: number
  name: string
  transport: TransportRow
}

/** A user with a transport. */
export interface AssignedUser {
  id: number
  username: string
  transport_id: number
}

/** Why messages were sent through a transport: they named it, or it was the email's, the owner's or the Mautic's. */
export type UseSource = Exclude<RouteSource, 'default'>

/** Deliveries of one email through the transports. */
export interface DeliveryUse {
  emailId: number | null
  source: UseSource
  count: number
}

const rowsPerPage = 1_000
const naming = sql.raw(namesTransport)

/**
 * What a fire drill reads about transports that are down: of a Mautic, or of Mailyard itself (0). Statements run apart from other
 * requests, within the time limit of lists.
 */
export class DrillReads {
  readonly #db: Kysely<object>
  readonly #isInTime: RawBuilder<boolean>
  readonly #mauticId: number
  readonly #down: readonly TransportRow[]
  /** The ids of the transports, for `in`. */
  readonly #ids: RawBuilder<unknown>

  constructor(
    { db, isInTime }: ListReads<object>,
    mauticId: number,
    down: readonly TransportRow[],
  ) {
    this.#db = db
    this.#isInTime = isInTime
    this.#mauticId = mauticId
    this.#down = down
    this.#ids = sql.join(down.length === 0 ? [-1] : down.map(({ id }) => id))
  }

  /** Emails that have one of the transports, or use that of the owner, and name none themselves; in pages, in id order. */
  async *emailPages(): AsyncGenerator<AssignedEmail[]> {
    const namesNone =
      this.#mauticId === 0
        ? sql`assigned.email_id not in (select id from emails where ${naming})`
        : sql`1 = 1`
    for (let after = 0; ; ) {
      const { rows } = await sql<AssignedEmail>`
        select assigned.email_id as id, coalesce(records.name, '') as name, assigned.transport_id,
          assigned.use_owner_transport
        from ${this.#assigned('email')} and ${namesNone} and assigned.email_id > ${after}
          and (assigned.transport_id in (${this.#ids}) or assigned.use_owner_transport)
        order by assigned.email_id limit ${rowsPerPage}`.execute(this.#db)
      yield rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < rowsPerPage) return
      after = last.id
    }
  }

  /** The first users with one of the transports, and how many there are. */
  async users(limit: number): Promise<{ users: AssignedUser[]; total: number }> {
    const { rows } = await sql<AssignedUser & { total: number }>`
      select assigned.user_id as id, coalesce(records.username, '') as username, assigned.transport_id,
        count(*) over () as total
      from ${this.#assigned('user')} and assigned.transport_id in (${this.#ids})
      order by assigned.user_id limit ${limit}`.execute(this.#db)
    const users = rows.map(({ total: _, ...user }) => user)
    return { users, total: Number(rows[0]?.total ?? 0) }
  }

  /** Whether a user with one of the transports owns a contact. The contacts of a Mautic are not known: each user may. */
  async ownContacts(): Promise<boolean> {
    const owns =
      this.#mauticId === 0
        ? sql`exists (select 1 from contacts where contacts.owner_id = assigned.user_id)`
        : sql`1 = 1`
    const { rows } = await sql`select 1 from ${this.#assigned('user')}
      and assigned.transport_id in (${this.#ids}) and ${owns} limit 1`.execute(this.#db)
    return rows.length > 0
  }

  /**
   * Emails whose header names one of the transports, by id or by a name that only one has. `undecided`: how many headers depend
   * on the contact. The headers of a Mautic's emails are not known.
   */
  async namingEmails(): Promise<{ emails: NamingEmail[]; undecided: number }> {
    const emails: NamingEmail[] = []
    let undecided = 0
    if (this.#mauticId !== 0) return { emails, undecided }
    const byText = await this.#transportsByText()
    for (let after = 0; ; ) {
      const { rows } = await sql<Pick<EmailRow, 'id' | 'name' | 'headers' | 'is_twig'>>`
        select id, name, headers, is_twig from emails
        where ${naming} and id > ${after} and ${this.#isInTime} order by id limit ${rowsPerPage}`.execute(
        this.#db,
      )
      for (const { id, name, ...email } of rows) {
        const text = findNamedTransport(JSON.parse(email.headers) as Record<string, string>)
        if (dependsOnContact(email)) undecided += 1
        const transport = text === undefined ? undefined : byText.get(nameKey(text))
        if (transport !== undefined) emails.push({ id, name, transport })
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < rowsPerPage) return { emails, undecided }
      after = last.id
    }
  }

  /** Counts the deliveries between two times through the transports, by email and by why they were sent through them. */
  async countDeliveries(after: number, until: number): Promise<DeliveryUse[]> {
    // The step of a trace that has the transport is the one that was taken.
    const has = (source: UseSource) =>
      sql`trace like ${`%"source":"${source}","transport":{"id":`} || transport_id || ',%'`
    const { rows } = await sql<{ email_id: number | null; source: UseSource; count: number }>`
      select email_id, case when ${has('mautic')} then 'mautic' when ${has('email')} then 'email'
        when ${has('owner')} then 'owner' else 'named' end as source, count(*) as count
      from deliveries where transport_id in (${this.#ids}) and started_at > ${after}
        and started_at <= ${until} and mautic_id = ${this.#mauticId} and ${this.#isInTime}
      group by 1, 2`.execute(this.#db)
    return rows.map(({ email_id: emailId, source, count }) => {
      return { emailId, source, count: Number(count) }
    })
  }

  async findTransports(ids: readonly number[]): Promise<Map<number, TransportRow>> {
    if (ids.length === 0) return new Map()
    const query = this.#db.withTables<TransportTables>().selectFrom('transports').selectAll()
    const rows = await query.where('id', 'in', [...new Set(ids)]).execute()
    return new Map(rows.map((row) => [row.id, row]))
  }

  /** The default transport of the Mautic. */
  async defaultTransport(): Promise<TransportRow | undefined> {
    const { rows } = await sql<{ transport_id: number | null }>`
      select transport_id from mautics where id = ${this.#mauticId}`.execute(this.#db)
    const id = rows[0]?.transport_id
    return id == null ? undefined : (await this.findTransports([id])).get(id)
  }

  /** The tables of assignments and of what they are made to, and their condition. */
  #assigned(kind: 'email' | 'user'): RawBuilder<unknown> {
    const of = this.#mauticId === 0 ? '' : 'mautic_'
    const table = sql.raw(`${of}${kind}_transports as assigned left join ${of}${kind}s as records`)
    const isOne = sql`records.id = ${sql.ref(`assigned.${kind}_id`)}`
    return this.#mauticId === 0
      ? sql`${table} on ${isOne} where ${this.#isInTime}`
      : sql`${table} on ${isOne} and records.mautic_id = assigned.mautic_id
          where assigned.mautic_id = ${this.#mauticId} and ${this.#isInTime}`
  }

  /** The transports by what a header may say: their id, and their name if no other transport has it. */
  async #transportsByText(): Promise<Map<string, TransportRow>> {
    const names = this.#down.map(({ name_key: key }) => key)
    if (names.length === 0) return new Map()
    const { rows } = await sql<{ name_key: string }>`select name_key from transports
      where name_key in (${sql.join(names)}) group by name_key having count(*) = 1`.execute(
      this.#db,
    )
    const unique = new Set(rows.map((row) => row.name_key))
    const named = this.#down.filter((row) => unique.has(row.name_key))
    return new Map([
      ...named.map((row) => [row.name_key, row] as const),
      ...this.#down.map((row) => [String(row.id), row] as const),
    ])
  }
}
