import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Condition, ConditionKind, ConditionSources } from '../../core/findings/index.ts'
import {
  brandData,
  type EventSink,
  type EventType,
  type PublishedEvent,
} from '../../core/published/index.ts'
import { noBrand } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { Periodic } from '../../kit/periodic.ts'
import type { Migrations } from '../../platform/storage/index.ts'
import { aboutTransport, findBrands, findConditions } from './conditions.ts'

export interface ConditionWatcherOptions extends ConditionSources {
  kinds: readonly ConditionKind[]
  events: EventSink
  clock: Clock
  log: Log
  intervalMs: number
}

/** The conditions that were published and go on, and since when. */
type Tables = { published_conditions: { key: string; at: number } }

export const conditionMigrations: Migrations = {
  async '00.01.00_43_published_conditions'(db) {
    await db.schema
      .createTable('published_conditions')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

const begin = (key: string, at: number) =>
  sql`insert into published_conditions (key, at) values (${key}, ${at})
    on conflict do nothing returning key`

/** What began later goes on. */
const end = (key: string, at: number) =>
  sql`delete from published_conditions where key = ${key} and at < ${at} returning key`

/**
 * Publishes what begins, and that a transport works again: once for all processes and over restarts, because the database has what
 * was published. Each few seconds it compares this with what goes on.
 */
export class ConditionWatcher {
  readonly #options: ConditionWatcherOptions
  readonly looking: Periodic
  /** Since when transports fail for this process: while it sends nothing through one, that stays as it is. */
  readonly #failing = new Map<string, number>()

  constructor(options: ConditionWatcherOptions) {
    const { intervalMs, log } = options
    this.#options = options
    const events = { failed: 'conditions not published', recovered: 'conditions published again' }
    this.looking = new Periodic({ task: () => this.#compare(), intervalMs, log, events })
  }

  async #compare(): Promise<void> {
    const { storage, events, clock, kinds } = this.#options
    const now = clock.now()
    const db = storage.tables<Tables>()
    const rows = await db.selectFrom('published_conditions').select('key').execute()
    const published = new Set(rows.map(({ key }) => key))
    for (const kind of kinds) {
      const { event: type, fix, isOnce } = kind
      const isOfTransports = type === 'transport.down'
      const isWanted = isOfTransports && events.wants('transport.up')
      if (type === undefined || !(isWanted || events.wants(type))) continue
      const present = new Set<string>()
      for (const condition of await findConditions(kind, this.#options, now)) {
        const { detail, brand, data, seenAt } = condition
        const key = conditionKey(type, condition)
        present.add(key)
        const isKnown =
          published.has(key) || (seenAt !== undefined && this.#failing.get(key) === seenAt)
        const event = eventOf(type, condition, {
          ...brandData(brand),
          ...data,
          message: `${detail} ${fix}`,
        })
        if (!isKnown) await this.#publish(event, begin(key, seenAt ?? now))
        if (seenAt !== undefined) this.#failing.set(key, seenAt)
      }
      if (isOfTransports) await this.#endTransports(published)
      else
        for (const key of published) {
          const until = Date.parse(key.slice(key.lastIndexOf(' ') + 1))
          const isOver = !present.has(key) && !(isOnce && until > now)
          if (key.startsWith(type) && isOver) await end(key, now).execute(db)
        }
    }
  }

  /** Each process knows only the transports that it uses. */
  async #endTransports(published: ReadonlySet<string>): Promise<void> {
    for (const state of this.#options.listTransports()) {
      const { transportId, transport, problem, availableAt } = state
      const about = aboutTransport(state)
      const key = conditionKey('transport.down', about)
      if (problem !== undefined || !published.has(key)) continue
      const message = `Transport ${transport} works again.`
      const brands = await findBrands(this.#options.storage, 'transports', [transportId ?? 0])
      const ofBrand = brandData(brands.get(transportId ?? 0) ?? noBrand)
      const event = eventOf('transport.up', about, { ...ofBrand, transportId, transport, message })
      await this.#publish(event, end(key, availableAt))
    }
  }

  /** Publishes an event, unless another process has made its change. */
  async #publish(event: PublishedEvent, change: RawBuilder<unknown>): Promise<void> {
    const { storage, events } = this.#options
    const isPublished = await storage.transaction(async (tx: Transaction<Tables>) => {
      const isNew = (await change.execute(tx)).rows.length > 0
      if (isNew) await events.publish(tx, [event])
      return isNew
    })
    if (isPublished) events.notify()
  }
}

function conditionKey(
  type: EventType,
  { record, part }: Pick<Condition, 'record' | 'part'>,
): string {
  return [type, record?.id, part].filter((each) => each !== undefined).join(' ')
}

function eventOf(
  type: EventType,
  { record }: Pick<Condition, 'record'>,
  data: PublishedEvent['data'],
): PublishedEvent {
  const [subject = ''] = type.split('.')
  return { type, cause: record === undefined ? subject : `${subject} ${record.id}`, data }
}
