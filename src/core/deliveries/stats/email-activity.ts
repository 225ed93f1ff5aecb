import { sql } from 'kysely'
import type { Caller } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import { pause } from '../../../kit/pause.ts'
import { ownedBy } from '../../../platform/resource/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { CountedOutcome } from '../../delivery/index.ts'

/** The outcomes of the last deliveries of an email: at most this number, and no older ones. */
export const recentDeliveries = { countMax: 1_000, days: 30 }

const dayMs = 86_400_000
/** An id takes a step in an index. */
const idsPerQuery = 500
/** Each may read `recentDeliveries` rows: some ten milliseconds. */
const emailsPerQuery = 20

/** What the delivery log has of emails of Mailyard, as far as the caller sees it. Each query looks up its emails in the index of their ids. */
export class EmailActivity {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** Finds when the last delivery of each email started; those without one are left out. */
  async findLast(ids: readonly number[], caller: Caller): Promise<Map<number, number>> {
    const last = new Map<number, number>()
    // Many brands may send an email that belongs to none.
    const searchedMax = caller.brands === 'all' ? 1 : recentDeliveries.countMax
    await this.#inParts(ids, idsPerQuery, async (part) => {
      const { rows } = await sql<{ id: number; last: number | null }>`
        select id, (select max(started_at) from (select started_at, brand_id from deliveries
          where mautic_id = 0 and email_id = emails.id order by started_at desc limit ${searchedMax}) as last_ones
          where ${ownedBy(caller, 'last_ones.brand_id')}) as last
        from emails where id in (${sql.join(part)})`.execute(this.#storage.tables<unknown>())
      for (const { id, last: startedAt } of rows)
        if (startedAt !== null) last.set(Number(id), Number(startedAt))
    })
    return last
  }

  /** Counts the outcomes of the last deliveries of each email: see `recentDeliveries`. */
  async countRecent(
    ids: readonly number[],
    caller: Caller,
  ): Promise<Map<number, Partial<Record<CountedOutcome, number>>>> {
    const { countMax, days } = recentDeliveries
    const since = this.#clock.now() - days * dayMs
    const counts = new Map<number, Partial<Record<CountedOutcome, number>>>()
    await this.#inParts(ids, emailsPerQuery, async (part) => {
      const last = part.map(
        (id) => sql`select * from (select email_id, outcome, brand_id from deliveries
          where mautic_id = 0 and email_id = ${id} and started_at >= ${since}
          order by started_at desc limit ${countMax}) as last_ones where ${ownedBy(caller)}`,
      )
      const { rows } = await sql<{ id: number; outcome: CountedOutcome; count: number }>`
        select email_id as id, outcome, count(*) as count
        from (${sql.join(last, sql` union all `)}) as recent
        where outcome <> 'started' group by email_id, outcome`.execute(
        this.#storage.tables<unknown>(),
      )
      for (const { id, outcome, count } of rows)
        counts.set(Number(id), { ...counts.get(Number(id)), [outcome]: Number(count) })
    })
    return counts
  }

  async #inParts(
    ids: readonly number[],
    size: number,
    read: (part: readonly number[]) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < ids.length; start += size) {
      if (start > 0) await pause()
      await read(ids.slice(start, start + size))
    }
  }
}
