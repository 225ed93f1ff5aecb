import type { Generated } from 'kysely'
import { eventTypes } from '../../../libraries/mailer/index.ts'
import type { Migrations } from '../../../platform/storage/index.ts'

/** What the webhook of a transport counts: events by type, those of no known message, and refused requests. */
export const webhookCounts = [...eventTypes, 'ignored', 'unknown', 'refused'] as const
export type WebhookCount = (typeof webhookCounts)[number]

/** The webhook of a transport at one of its providers. It outlives the deletion of its transport, which may be restored. */
export interface TransportWebhookRow extends Record<WebhookCount, number> {
  transport_id: number
  /** The name of the provider's folder. */
  provider: string
  /** Encrypted by the keyring: the last segment of its address. */
  secret: string
  /** Encrypted by the keyring; null for none. */
  signing_key: string | null
  /** See `VerifyOptions.pinned`. */
  pinned: string | null
  created_at: number
  /** When a genuine request with events arrived last. */
  last_event_at: number | null
  /** Why the last request was refused; null after a genuine one. */
  problem: string | null
  problem_at: number | null
}

/** A token of a genuine request; see `Verification.token`. */
export interface WebhookTokenRow {
  /** SHA-256 of the webhook and its token, in hex. */
  hash: string
  received_at: number
}

export type TransportWebhookTables = {
  transport_webhooks: Omit<TransportWebhookRow, WebhookCount> &
    Record<WebhookCount, Generated<number>>
  webhook_tokens: WebhookTokenRow
}

export const transportWebhookMigrations: Migrations = {
  async '00.01.00_42_transport_webhooks'(db, database) {
    let table = db.schema
      .createTable('transport_webhooks')
      .addColumn('transport_id', 'bigint', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('signing_key', 'text')
      .addColumn('pinned', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_event_at', 'bigint')
      .addColumn('problem', 'text')
      .addColumn('problem_at', 'bigint')
    for (const count of [
      'delivered',
      'deferred',
      'bounced',
      'complained',
      'unsubscribed',
      'rejected',
      'ignored',
      'unknown',
      'refused',
    ])
      table = table.addColumn(count, 'bigint', (column) => column.notNull().defaultTo(0))
    await table
      .addPrimaryKeyConstraint('transport_webhooks_key', ['transport_id', 'provider'])
      .execute()
    const tokens = db.schema
      .createTable('webhook_tokens')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
    await database.clustered(tokens).execute()
    const byTime = db.schema.createIndex('webhook_tokens_received_at').on('webhook_tokens')
    await byTime.column('received_at').execute()
  },
}
