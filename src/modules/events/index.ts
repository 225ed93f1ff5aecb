export {
  EventApplier,
  findBraking,
} from './events/event-applier.ts'
export { EventEffects } from './events/event-effects.ts'
export { countGivenUp, ReceivedEvents } from './events/received-events.ts'
export { receivedEventsMigrations } from './events/table.ts'
export { TransportAccounts } from './events/transport-accounts.ts'
export { readReport } from './mail/read-report.ts'
export { ReportReceiver } from './mail/report-receiver.ts'
export { addReportRoute } from './mail/routes.ts'

export { EventReceiver } from './webhooks/event-receiver.ts'
export { describeWebhooks, listRefusedWebhooks, listWebhooks } from './webhooks/list-webhooks.ts'
export { addReceiveRoute } from './webhooks/receive-route.ts'
export { addTransportWebhookRoutes } from './webhooks/routes.ts'
export { transportWebhookMigrations } from './webhooks/table.ts'
export { TransportWebhookCounts } from './webhooks/transport-webhook-counts.ts'
export { createWebhookPruner, TransportWebhookStore } from './webhooks/transport-webhook-store.ts'
export { TransportWebhooks } from './webhooks/transport-webhooks.ts'
