export { WebhooksModule } from './open-webhooks.ts'
export { webhookMigrations } from './table.ts'
export { webhookConditions } from './webhook-conditions.ts'
