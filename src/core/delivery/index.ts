export {
  type Deferral,
  Deliverer,
  type DeliverReport,
  type DeliverRequest,
  type Gate,
  type RecordBounces,
  type ReportToMautics,
  type SentMessage,
} from './deliver.ts'
export { type Deliveries, openDeliveries } from './deliveries/deliveries.ts'
export {
  type DeliveryItem,
  deliveryItem,
  type MauticNames,
  mauticSchema,
  needPermissions,
  presentDelivery,
  presentMautic,
  routeStep,
  subjectDescription,
  visibleDelivery,
  visibleProblem,
  visibleTrace,
} from './deliveries/delivery-item.ts'
export {
  contains,
  inScope,
  isRecipientLike,
  isSenderLike,
  isWholeAddress,
  saysNothing,
  warnOfWholeAddresses,
} from './deliveries/delivery-query.ts'
export { addExportRoute } from './deliveries/export-route.ts'
export {
  partOfAddress,
  textLengthMax,
  tooManyWildcards,
  wildcardFault,
} from './deliveries/filter-parameters.ts'
export { findMauticNames } from './deliveries/mautic-names.ts'
export { findAttempts } from './deliveries/message-attempts.ts'
export { addDeliveryRoutes, namedContact, warnings } from './deliveries/routes.ts'
export type { SettledOutcome } from './deliveries/settle-delivery.ts'
export { addSettleRoutes } from './deliveries/settle-routes.ts'
export { findContact } from './deliveries/shown-with.ts'
export {
  type CandidateDelivery,
  DeliveryEvents,
  type NewDeliveryEvent,
  type StoredEvent,
} from './delivery-events.ts'
export { type DeliveryEventType, deliveryEvents, deliveryEventTypes } from './events.ts'
export { createIdentifyMessage } from './identify/identify-message.ts'
export { type DeliveryIntervals, defaultIntervals } from './intervals.ts'
export { acknowledge, openAcknowledgements } from './log/acknowledgements.ts'
export {
  type DeliveryReference,
  findOriginal,
  findOutcomes,
  releaseKeys,
} from './log/delivery-keys.ts'
export { type DeliveryLog, openDeliveryLog } from './log/delivery-log.ts'
export { createBulkQuery, emptyDelivery, replyText, storableText } from './log/delivery-row.ts'
export { createGroupCommit, type GroupCommit } from './log/group-commit.ts'
export { openLease } from './log/lease.ts'
export { deliveryEventData, isOwnNotice, OutcomeEvents } from './log/outcome-events.ts'
export { Processes } from './log/processes.ts'
export { openRetriedWrites, type RetriedWrites } from './log/retried-writes.ts'
export type { OriginalDelivery } from './log/start-attempts.ts'
export { createMaintenance, ensureDeliveryPartitions } from './maintenance.ts'
export { deliveryMigrations } from './migrations.ts'
export { deliveryOutcomes, finalOutcomes, outcomeOf, outcomes } from './outcomes.ts'
export { maskSignatures, type ReturnedDelivery, ReturnPaths } from './return-paths.ts'
export { countByTransport } from './stats/count-by-transport.ts'
export { EmailActivity, recentDeliveries } from './stats/email-activity.ts'
export { createCountFolding } from './stats/fold-changes.ts'
export { addStatsRoutes } from './stats/routes.ts'
export { readTransportRates } from './stats/transport-rates.ts'
export { SubmissionDeliverer } from './submission/deliver-submission.ts'
export {
  createReply,
  explainError,
  isPermanent,
  memoryLimitReached,
  type RecipientReport,
  type Reply,
  replyLine,
} from './submission/recipient-reports.ts'
export { RefusalMemory } from './submission/refusal-memory.ts'
export {
  isNotification,
  type MessageKeys,
  notifier,
  type ReadSubmission,
  type RenderedEmailFacts,
  readSubmission,
  type Submission,
  submitterOf,
} from './submission/submission.ts'
export type { SuppressedRecipient } from './suppressed-recipient.ts'
export {
  type DeliveryRow,
  type DeliveryTables,
  defaultTransport,
  deliverySources,
  isRefusalOf,
  isTransport,
  type Lane,
  noTransport,
  type OnUnattempted,
  type UnattemptedDelivery,
  unansweredTransport,
} from './table.ts'
export { type FinishedAttempt, type OpenTransport, TransportPool } from './transport-pool.ts'
export {
  type TransportState,
  type TransportThrottle,
  TransportThrottles,
  type TransportTurn,
} from './transport-throttle.ts'
