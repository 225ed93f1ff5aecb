/** Captured messages: what `inbox://local` takes instead of sending it. */
export { Inbox } from './inbox.ts'
export { inboxMigrations } from './migrations.ts'
export { addInboxRoutes } from './routes.ts'
export type { InboxTables } from './table.ts'
