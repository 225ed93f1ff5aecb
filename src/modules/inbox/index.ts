/** Captured messages: what `inbox://local` takes instead of sending it. */
export { openInbox } from './open-inbox.ts'
export { addInboxSource, type InboxTables, inboxMigrations } from './table.ts'
