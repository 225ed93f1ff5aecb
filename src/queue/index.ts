export type { ChangeResult, QueueAction } from './change-queued.ts'
export { countQueue, findOldestQueued, type QueueCount } from './count-queue.ts'
export { describeQueued, describeUnsent } from './describe-queued.ts'
export type { RecipientMessage } from './dispatcher.ts'
export { EventBrakes } from './event-brakes.ts'
export { FirstAttempt } from './first-attempt.ts'
export { findLastMessages } from './last-messages.ts'
export { isFiltered, type QueueFilter } from './list-queued.ts'
export { Queue, type QueueSettings } from './queue.ts'
export type { QueueAdmin } from './queue-admin.ts'
export type { QueuedItem } from './queue-item.ts'
export type { ClaimedRecipient, MessageFacts, RecipientChange } from './queue-store.ts'
export { addQueueRoutes } from './routes.ts'
export { queueFilterWords, type ShownState, shownState, shownStates } from './shown-state.ts'
export { type ExtraTokens, replaceExtraTokens } from './single/extra-tokens.ts'
export { keyUsed, messageKeyOf, scopedKeyOf } from './single/idempotency.ts'
export { addSendRoute, keyHeader, readKey, readTokens, tokensSchema } from './single/routes.ts'
export { createSendToContact } from './single/send-to-contact.ts'
export { answerOf } from './single/single-answers.ts'
export { type RecipientReply, Submissions } from './submissions.ts'
export type { SubmitNotification } from './submit-notification.ts'
export {
  addBroadcastColumns,
  createQueue,
  createQueueBrakes,
  createQueueHolds,
  createQueueNotices,
  createRouteRepairs,
  type QueueTables,
  swapQueueTransports,
} from './table.ts'
