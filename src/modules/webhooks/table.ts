import type { Generated } from 'kysely'
import { addOutboxColumns, type OutboxRow } from '../../platform/outbox/index.ts'
import {
  addBrand,
  createRecordTable,
  type Migrations,
  type RecordRow,
  type RecordTable,
} from '../../platform/storage/index.ts'

/** `standard`: signed as Standard Webhooks; `chat`: a sentence as `{"text": …}`. */
export const webhookFormats = ['standard', 'chat'] as const
export type WebhookFormat = (typeof webhookFormats)[number]

/** A receiver of events. */
export interface WebhookRow extends RecordRow {
  name: string
  /** JSON: the types of events that it gets. */
  events: string
  format: WebhookFormat
  /** The address of the receiver, encrypted: it may contain credentials. */
  url: string
  /** The secret that signs, encrypted; null where nothing is signed. */
  secret: string | null
  /** The secret before the last rotation, encrypted: it signs too until `old_secret_until`. */
  old_secret: string | null
  old_secret_until: number | null
  brand_id: number
}

/** The types of events that a webhook gets. */
export function typesOf({ events }: Pick<WebhookRow, 'events'>): string[] {
  return JSON.parse(events) as string[]
}

/** Whether the receiver of a webhook works. Without a row it does, or was never called. Times are in milliseconds since the epoch. */
export interface WebhookStateRow {
  webhook_id: number
  last_success_at: number | null
  /** Since when the receiver has accepted nothing; null if it did last, or refused a message only for itself. */
  failing_since: number | null
  /** Since when it is not called any more. */
  dead_at: number | null
  /** Why the last request failed; null if it succeeded. */
  problem: string | null
}

/** An event on its way to a webhook. */
export interface WebhookMessageRow extends OutboxRow {
  webhook_id: number
  /** The header `webhook-id`: the same at each repeat. */
  message_id: string
  type: string
  /** Whose event it is. */
  brand_id: number
  /** What a chat gets one message an hour for, besides the type. */
  cause: string
  /** How many events it stands for. */
  events: number
  /** JSON, as it is sent. */
  body: string
}

/** When a chat last got a message of a type and cause. */
export interface WebhookAlertRow {
  webhook_id: number
  type: string
  cause: string
  /** The message, as long as it is not sent yet. */
  message_id: string | null
  sent_at: number
  /** How many events were left out since then. */
  left_out: number
}

export type WebhookTables = {
  webhooks: RecordTable<WebhookRow>
  webhook_states: WebhookStateRow
  webhook_messages: Omit<WebhookMessageRow, 'id'> & { id: Generated<number> }
  webhook_alerts: WebhookAlertRow
}

export const webhookMigrations: Migrations = {
  async '00.01.00_40_webhooks'(db, database) {
    await createRecordTable(db, database, 'webhooks')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('format', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('secret', 'text')
      .addColumn('old_secret', 'text')
      .addColumn('old_secret_until', 'bigint')
      .$call(addBrand)
      .execute()
    await database.createSearchIndex(db, 'webhooks')
    await db.schema
      .createTable('webhook_states')
      .addColumn('webhook_id', 'bigint', (column) =>
        column.primaryKey().references('webhooks.id').onDelete('cascade'),
      )
      .addColumn('last_success_at', 'bigint')
      .addColumn('failing_since', 'bigint')
      .addColumn('dead_at', 'bigint')
      .addColumn('problem', 'text')
      .execute()
    // Without a reference: publishing an event must not fail, or wait, because a webhook is being deleted.
    await database
      .createTableWithId(db, 'webhook_messages')
      .addColumn('webhook_id', 'bigint', (column) => column.notNull())
      .addColumn('message_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .$call(addBrand)
      .addColumn('cause', 'text', (column) => column.notNull())
      .addColumn('events', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .$call(addOutboxColumns)
      .execute()
    const indexes = [
      ['webhook_id', 'id'],
      ['webhook_id', 'state', 'due_at', 'id'],
      ['state', 'due_at'],
    ]
    for (const columns of indexes)
      await db.schema
        .createIndex(['webhook_messages', ...columns].join('_'))
        .on('webhook_messages')
        .columns(columns)
        .execute()
    await db.schema
      .createTable('webhook_alerts')
      .addColumn('webhook_id', 'bigint', (column) =>
        column.notNull().references('webhooks.id').onDelete('cascade'),
      )
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('cause', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text')
      .addColumn('sent_at', 'bigint', (column) => column.notNull())
      .addColumn('left_out', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('webhook_alerts_key', ['webhook_id', 'type', 'cause'])
      .execute()
  },
}
