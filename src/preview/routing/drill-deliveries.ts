import { type RawBuilder, sql } from 'kysely'
import { pause } from '../../kit/pause.ts'
import type { RouteSource } from '../../routing/index.ts'
import type { Storage } from '../../storage/index.ts'

/** Why deliveries were sent through a transport: the message named it, or it was the email's, the owner's or the Mautic's. */
export type UseSource = Exclude<RouteSource, 'default'>

/** Deliveries of one email through one transport. */
export interface DeliveryUse {
  emailId: number | null
  source: UseSource
  count: number
}

/** Rows that one query groups: it blocks SQLite for some milliseconds. */
const rowsPerQuery = 2_000

/** The step of a trace that has the transport is the one that was taken. */
function sourceOfTrace(transportId: number): RawBuilder<unknown> {
  const has = (source: UseSource) =>
    sql`trace like ${`%"source":"${source}","transport":{"id":${transportId},%`}`
  return sql`case when ${has('mautic')} then 'mautic' when ${has('email')} then 'email'
    when ${has('owner')} then 'owner' else 'named' end`
}

interface Place {
  started_at: number
  id: number
}

/**
 * Counts the deliveries of a Mautic, or of Mailyard itself (0), through a transport since a time, by email and by why they
 * were sent through it.
 */
export async function countDeliveryUses(
  storage: Storage,
  { transportId, since, mauticId }: { transportId: number; since: number; mauticId: number },
): Promise<DeliveryUse[]> {
  const db = storage.tables<unknown>()
  const uses = new Map<string, DeliveryUse>()
  const end = await findPlace(
    db,
    sql`select started_at, id from deliveries
    where transport_id = ${transportId} order by started_at desc, id desc limit 1`,
  )
  let after: Place = { started_at: since, id: 0 }
  while (end !== undefined && isBefore(after, end)) {
    const condition = sql`transport_id = ${transportId} and (started_at, id) > (${after.started_at}, ${after.id})`
    const next = await findPlace(
      db,
      sql`select started_at, id from deliveries where ${condition}
      order by started_at, id limit 1 offset ${rowsPerQuery - 1}`,
    )
    const last = next === undefined || !isBefore(next, end) ? end : next
    const { rows } = await sql<{ email_id: number | null; source: UseSource; count: number }>`
      select email_id, ${sourceOfTrace(transportId)} as source, count(*) as count from deliveries
      where ${condition} and mautic_id = ${mauticId} and (started_at, id) <= (${last.started_at}, ${last.id})
      group by 1, 2`.execute(db)
    for (const { email_id: emailId, source, count } of rows) add(uses, { emailId, source, count })
    after = last
    await pause()
  }
  return [...uses.values()]
}

function add(uses: Map<string, DeliveryUse>, use: DeliveryUse): void {
  const key = `${use.emailId} ${use.source}`
  const count = (uses.get(key)?.count ?? 0) + Number(use.count)
  uses.set(key, { ...use, count })
}

function isBefore(one: Place, other: Place): boolean {
  return (
    one.started_at < other.started_at || (one.started_at === other.started_at && one.id < other.id)
  )
}

async function findPlace(
  db: Parameters<RawBuilder<Place>['execute']>[0],
  query: RawBuilder<unknown>,
): Promise<Place | undefined> {
  const { rows } = await (query as RawBuilder<Place>).execute(db)
  return rows[0]
}
