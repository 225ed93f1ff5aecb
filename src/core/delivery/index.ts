export { addCounted, everyTransport, hourMs, minuteMs } from './counts-table.ts'
export {
  type AttemptSender,
  type ChosenTransport,
  type Deferral,
  Deliverer,
  type DeliverReport,
  type Gate,
} from './deliver.ts'
export {
  type CandidateDelivery,
  DeliveryEvents,
  type NewDeliveryEvent,
  type StoredEvent,
} from './delivery-events.ts'
export {
  type CountedEvent,
  countedAs,
  type DeliveryEventType,
  deliveryEvents,
  deliveryEventTypes,
  describeEvents,
} from './events.ts'
export { type DeliveryIntervals, defaultIntervals } from './intervals.ts'
export { acknowledge, openAcknowledgements } from './log/acknowledgements.ts'
export {
  type DeliveryReference,
  findKeys,
  findOriginal,
  findOutcomes,
  releaseKeys,
} from './log/delivery-keys.ts'
export { type DeliveryLog, openDeliveryLog } from './log/delivery-log.ts'
export { createBulkQuery, emptyDelivery, storableText } from './log/delivery-row.ts'
export { createGroupCommit, type GroupCommit } from './log/group-commit.ts'
export { openLease } from './log/lease.ts'
export { deliveryEventData, isOwnNotice, OutcomeEvents } from './log/outcome-events.ts'
export { Processes } from './log/processes.ts'
export { openRetriedWrites, type RetriedWrites } from './log/retried-writes.ts'
export type { OriginalDelivery } from './log/start-attempts.ts'
export { createMaintenance, ensureDeliveryPartitions } from './maintenance.ts'
export { deliveryMigrations } from './migrations.ts'
export {
  type AttemptOutcome,
  attemptOutcomes,
  type CountedOutcome,
  countedOutcomes,
  type DeliveryOutcome,
  deliveryOutcomes,
  describeOutcomes,
  outcomeOf,
  outcomes,
} from './outcomes.ts'
export { BounceRecorder, bounceScope } from './refusals/bounces.ts'
export { openMauticReporter } from './refusals/mautic-reporter.ts'
export { RefusalTagger } from './refusals/refusal-tagger.ts'
export { TransportEvidence } from './refusals/transport-evidence.ts'
export { maskSignatures, type ReturnedDelivery, ReturnPaths } from './return-paths.ts'
export { SubmissionDeliverer } from './submission/deliver-submission.ts'
export {
  createReply,
  explainError,
  isPermanent,
  memoryLimitReached,
  type RecipientReport,
  type Reply,
  ReplyError,
  replyLine,
} from './submission/recipient-reports.ts'
export { RefusalMemory } from './submission/refusal-memory.ts'
export {
  isNotification,
  type MessageKeys,
  type NewSubmission,
  notifier,
  type RenderedEmailFacts,
  readSubmission,
  type Submission,
  submitterOf,
} from './submission/submission.ts'
export {
  type DeliveryRow,
  type DeliveryTables,
  defaultTransport,
  deliverySources,
  isTransport,
  type Lane,
  noTransport,
  type OnUnattempted,
  type UnattemptedDelivery,
  unansweredTransport,
} from './table.ts'
export { type FinishedAttempt, type OpenTransport, TransportPool } from './transport-pool.ts'
export {
  isGuarded,
  type TransportState,
  type TransportThrottle,
  TransportThrottles,
  type TransportTurn,
} from './transport-throttle.ts'
