export { Outbox, type OutboxResult, type OutboxSender } from './outbox.ts'
export { addOutboxRoutes, outboxFields, presentOutboxRow } from './routes.ts'
export { addOutboxColumns, type OutboxRow, type OutboxTable, queuedAt } from './table.ts'
