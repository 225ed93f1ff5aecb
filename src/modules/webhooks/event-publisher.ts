import { randomUUID } from 'node:crypto'
import { type QueryExecutorProvider, sql } from 'kysely'
import type { EventSink, EventType, PublishedEvent } from '../../core/published/index.ts'
import { batches } from '../../kit/batches.ts'
import { mayUse, noBrand } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { formatDate } from '../../kit/iso-date.ts'
import type { Log } from '../../kit/log.ts'
import { SharedCopy } from '../../kit/shared-copy.ts'
import { queuedAt } from '../../platform/outbox/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { typesOf, type WebhookFormat, type WebhookMessageRow, type WebhookTables } from './table.ts'

/** A webhook that is sent messages now. */
interface ActiveWebhook {
  id: number
  format: WebhookFormat
  events: readonly string[]
  brand_id: number
}

const channel = 'webhooks'
/** A command of the operator on SQLite notifies no other process. */
const reloadMs = 5_000
/** 11 values each: below the limit of SQLite for one statement. */
const rowsPerStatement = 500
const causeMax = 200

/**
 * Queues events for the webhooks that ask for them. Which ones do is kept in memory: an event that no webhook asks for costs nothing.
 */
export class EventPublisher implements EventSink {
  readonly #storage: Storage
  readonly #clock: Clock
  /** The webhooks by the types of their events. */
  readonly active: SharedCopy<ReadonlyMap<string, readonly ActiveWebhook[]>>

  constructor({ storage, clock, log }: { storage: Storage; clock: Clock; log: Log }) {
    this.#storage = storage
    this.#clock = clock
    this.active = new SharedCopy({
      read: () => this.#read(),
      empty: new Map(),
      listen: (onChanged) => storage.listen(channel, onChanged),
      intervalMs: reloadMs,
      log,
      events: { failed: 'webhooks not read', recovered: 'webhooks read again' },
    })
  }

  /** Whether a webhook asks for events of this type. */
  wants(type: EventType): boolean {
    return this.active.value.has(type)
  }

  /**
   * Queues events, as part of a transaction if it is given one: they are then sent if it is committed. Call `notify` after that.
   */
  async publish(db: QueryExecutorProvider, events: readonly PublishedEvent[]): Promise<void> {
    const rows = this.#toRows(events)
    for (const some of batches(rows, rowsPerStatement)) {
      const values = some.map(
        (
          row,
        ) => sql`(${row.webhook_id}, ${row.message_id}, ${row.type}, ${row.brand_id}, ${row.cause}, ${row.events}, ${row.body},
          ${row.state}, ${row.attempts}, ${row.due_at}, ${row.created_at})`,
      )
      await sql`insert into webhook_messages (webhook_id, message_id, type, brand_id, cause, events, body,
        state, attempts, due_at, created_at) values ${sql.join(values)}`.execute(db)
    }
  }

  /** Makes all processes send what was published. Call it after the commit. */
  notify(): void {
    this.#storage.notify('webhook_messages')
  }

  /** Applies changes of webhooks in all processes, in this one before it resolves. */
  async reload(): Promise<void> {
    await this.active.read()
    this.#storage.notify(channel)
  }

  /**
   * In the order of the events. A webhook of a brand gets those of the brand. Of events with one type and cause, a chat gets the first, and how many there are.
   */
  #toRows(events: readonly PublishedEvent[]): Omit<WebhookMessageRow, 'id'>[] {
    const now = this.#clock.now()
    const alerts = new Map<string, Omit<WebhookMessageRow, 'id'>>()
    return events.flatMap(({ type, data, cause = '' }) => {
      const { brand = noBrand } = data
      const all = this.active.value.get(type) ?? []
      const webhooks = all.filter((each) => mayUse(each, brand))
      if (webhooks.length === 0) return []
      const messageId = createMessageId()
      const body = JSON.stringify({ type, timestamp: formatDate(now), data })
      return webhooks.flatMap(({ id, format }) => {
        const key = JSON.stringify([id, type, cause])
        const alert = alerts.get(key)
        if (alert !== undefined) {
          alert.events += 1
          return []
        }
        const row = {
          webhook_id: id,
          message_id: messageId,
          type,
          brand_id: brand,
          cause: storable(cause).slice(0, causeMax),
          events: 1,
          body: storable(body),
          ...queuedAt(now),
        }
        if (format === 'chat') alerts.set(key, row)
        return [row]
      })
    })
  }

  async #read(): Promise<ReadonlyMap<string, readonly ActiveWebhook[]>> {
    const rows = await this.#storage
      .tables<WebhookTables>()
      .selectFrom('webhooks')
      .leftJoin('webhook_states', 'webhook_states.webhook_id', 'webhooks.id')
      .select(['webhooks.id', 'format', 'events', 'brand_id'])
      .where('is_published', '=', true)
      .where('dead_at', 'is', null)
      .orderBy('webhooks.id')
      .execute()
    const byType = new Map<string, ActiveWebhook[]>()
    for (const row of rows) {
      const webhook = { ...row, events: typesOf(row) }
      for (const type of webhook.events) byType.set(type, [...(byType.get(type) ?? []), webhook])
    }
    return byType
  }
}

/** Creates the id of a message, which is the same each time that it is sent. */
export function createMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. In JSON they are escapes, which it stores as text. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
