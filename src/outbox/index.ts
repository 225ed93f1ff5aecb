export {
  outboxFields,
  outboxParameters,
  presentOutboxRow,
  readOutboxPage,
} from './item.ts'
export { Outbox, type OutboxResult, type OutboxSender } from './outbox.ts'
export { addOutboxColumns, type OutboxRow, type OutboxTable, queuedAt } from './table.ts'
