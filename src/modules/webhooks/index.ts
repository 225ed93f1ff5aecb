export { EventPublisher, type EventSink, type PublishedEvent } from './event-publisher.ts'

export { addWebhookRoutes } from './routes.ts'
export { webhookMigrations } from './table.ts'
export { listFailingWebhooks } from './webhook-states.ts'
export { Webhooks } from './webhooks.ts'
