/** Captured messages: what `inbox://local` takes instead of sending it. */
export { InboxModule } from './open-inbox.ts'
export { inboxMigrations } from './table.ts'
