import { type Kysely, sql } from 'kysely'
import type { DeliveryOutcome, DeliveryRow, DeliveryTables } from '../../delivery/index.ts'
import { isRefusalOf } from '../../delivery/index.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'
import { pause } from '../../kit/pause.ts'
import type { MauticTables } from '../../mautic/index.ts'
import type { ListReads, Storage } from '../../storage/index.ts'
import { presentRefusal, type Refusal } from './refusal-item.ts'

/** Which refusals of a Mautic are listed. */
export interface RefusalQuery {
  mauticId: number
  outcomes: readonly DeliveryOutcome[] | undefined
  /** Milliseconds since the epoch, both inclusive. */
  from: number | undefined
  to: number | undefined
  start: number
  limit: number
}

/** A page of refusals, the newest first. */
export interface RefusalPage {
  /** Null above 10,000. */
  total: number | null
  refusals: Refusal[]
}

/** Some of a Mautic's refusals. */
export interface RefusalBatch {
  rows: readonly DeliveryRow[]
  /** Those that started up to this time are read, with the batches before. */
  readUntil: number
}

/** They are counted up to this number. */
const countMax = 10_000
/** Rows of one batch. */
const rowsMax = 2_000

/** The refusals of Mautics' messages in the delivery log. */
export class Refusals {
  readonly #storage: Pick<Storage, 'unsorted' | 'tables' | 'lists'>

  constructor(storage: Pick<Storage, 'unsorted' | 'tables' | 'lists'>) {
    this.#storage = storage
  }

  /** Returns a page, with what the caller may see. */
  async list(query: RefusalQuery, caller: Caller): Promise<RefusalPage> {
    const { mauticId, start, limit } = query
    const reads = this.#storage.lists<DeliveryTables>(callerKey(caller), true)
    const isListed = this.#isListed(query, reads)
    const { rows } = await sql<DeliveryRow>`select * from deliveries where ${isListed}
      order by started_at desc, id desc limit ${limit} offset ${start}`.execute(reads.db)
    const counted = await sql<{ count: number }>`select count(*) as count
      from (select 1 from deliveries where ${isListed} limit ${countMax + 1}) as listed`.execute(
      reads.db,
    )
    const total = Number(counted.rows[0]?.count ?? 0)
    const names = await this.findEmailNames(mauticId, rows)
    const refusals = rows.map((row) => presentRefusal(row, { names, caller }))
    return { total: total > countMax ? null : total, refusals }
  }

  /** Yields all that started after `after`, up to `until`: the oldest first, in batches. None is empty. */
  async *read(
    mauticId: number,
    { after, until }: { after: number; until: number },
  ): AsyncGenerator<RefusalBatch> {
    const db = this.#storage.tables<DeliveryTables>()
    let first: Pick<DeliveryRow, 'id' | 'started_at'> = { id: 0, started_at: after + 1 }
    while (true) {
      const { rows } = await sql<DeliveryRow>`select * from deliveries
        where ${isRefusalOf(mauticId)} and started_at >= ${first.started_at} and started_at <= ${until}
          and (started_at > ${first.started_at} or id >= ${first.id})
        order by started_at, id limit ${rowsMax + 1}`.execute(db)
      const next = rows.length > rowsMax ? rows.pop() : undefined
      if (rows.length > 0)
        yield { rows, readUntil: next === undefined ? until : next.started_at - 1 }
      if (next === undefined) return
      first = next
      await pause()
    }
  }

  /** Returns the names of the emails of rows by id, where they are known. */
  async findEmailNames(
    mauticId: number,
    rows: readonly Pick<DeliveryRow, 'email_id'>[],
  ): Promise<ReadonlyMap<number, string>> {
    const ids = [...new Set(rows.flatMap(({ email_id: id }) => id ?? []))]
    if (ids.length === 0) return new Map()
    const db: Kysely<MauticTables> = this.#storage.tables<MauticTables>()
    const query = db.selectFrom('mautic_emails').select(['id', 'name'])
    const emails = await query.where('mautic_id', '=', mauticId).where('id', 'in', ids).execute()
    return new Map(emails.map(({ id, name }) => [id, name]))
  }

  #isListed(
    { mauticId, outcomes, from, to }: RefusalQuery,
    { isInTime }: Pick<ListReads<DeliveryTables>, 'isInTime'>,
  ) {
    const conditions = [
      isRefusalOf(mauticId),
      ...(from === undefined ? [] : [sql<boolean>`started_at >= ${from}`]),
      ...(to === undefined ? [] : [sql<boolean>`started_at <= ${to}`]),
      ...(outcomes === undefined
        ? []
        : [
            isInTime,
            sql<boolean>`${this.#storage.unsorted('outcome')} in (${sql.join(outcomes)})`,
          ]),
    ]
    return sql.join(conditions, sql` and `)
  }
}
