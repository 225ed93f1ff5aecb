export { addSenderRoutes } from './routes.ts'
export { removeTransportChecks } from './sender-checks.ts'
export { Senders } from './senders.ts'
export { senderMigrations } from './table.ts'
