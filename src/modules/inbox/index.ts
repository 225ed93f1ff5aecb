/** Captured messages: what `inbox://local` takes instead of sending it. */
export { Inbox } from './inbox.ts'
export { addInboxRoutes } from './routes.ts'
export { addInboxSource, type InboxTables, inboxMigrations } from './table.ts'
