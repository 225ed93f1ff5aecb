import { type Kysely, sql, type Transaction } from 'kysely'
import type { Migrations, Storage } from '../../storage/index.ts'
import type { EventSink, PublishedEvent } from '../../webhooks/index.ts'

/** What is going on, or was: it is published once, whatever process sees it first. */
interface SignalRow {
  key: string
  /** When it was published, or published again. */
  at: number
  /** When it was over; null while it goes on. */
  ended_at: number | null
}

type SignalTables = { signals: SignalRow }

/** What begins or ends, and the time of what shows it: what is older than the last change is no news. */
export interface SignalChange {
  key: string
  seenAt: number
}

export const signalMigrations: Migrations = {
  async '20261127_41_signals'(db) {
    await db.schema
      .createTable('signals')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .execute()
  },
}

/** Those that were over for so long are forgotten: no process has older news. */
const keepMs = 30 * 86_400_000

/** Publishes what begins and ends, once for all processes and over restarts: the database has what goes on. */
export class SignalStates {
  readonly #storage: Storage
  readonly #events: EventSink

  constructor({ storage, events }: { storage: Storage; events: EventSink }) {
    this.#storage = storage
    this.#events = events
  }

  /** Publishes that something begins, unless it goes on already or was over after `seenAt`. */
  async begin({ key, seenAt }: SignalChange, event: PublishedEvent): Promise<void> {
    await this.#publish(event, async (tx) => {
      const { rows } = await sql`insert into signals (key, at) values (${key}, ${seenAt})
        on conflict (key) do update set at = excluded.at, ended_at = null
          where signals.ended_at < excluded.at
        returning key`.execute(tx)
      return rows.length > 0
    })
  }

  /** Publishes that something is over, if it goes on and began before `seenAt`. */
  async end({ key, seenAt }: SignalChange, event?: PublishedEvent): Promise<void> {
    await this.#publish(event, async (tx) => {
      const { rows } = await sql`update signals set ended_at = ${seenAt}
        where key = ${key} and ended_at is null and at < ${seenAt} returning key`.execute(tx)
      return rows.length > 0
    })
  }

  /** Returns the keys of what goes on. */
  async listOpen(): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('signals')
      .select('key')
      .where('ended_at', 'is', null)
      .execute()
    return rows.map(({ key }) => key)
  }

  async forgetOld(now: number): Promise<void> {
    await this.#db
      .deleteFrom('signals')
      .where('ended_at', '<', now - keepMs)
      .execute()
  }

  get #db(): Kysely<SignalTables> {
    return this.#storage.tables<SignalTables>()
  }

  async #publish(
    event: PublishedEvent | undefined,
    change: (tx: Transaction<SignalTables>) => Promise<boolean>,
  ): Promise<void> {
    const hasChanged = await this.#storage.transaction(async (tx: Transaction<SignalTables>) => {
      const isNew = await change(tx)
      if (isNew && event !== undefined) await this.#events.publish(tx, [event])
      return isNew
    })
    if (hasChanged && event !== undefined) this.#events.notify()
  }
}
