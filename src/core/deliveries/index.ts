export { type Deliveries, openDeliveries, presentDeliveries } from './deliveries.ts'
export {
  type DeliveryItem,
  deliveryItem,
  type MauticNames,
  mauticSchema,
  needPermissions,
  presentMautic,
  routeStep,
  subjectDescription,
  visibleDelivery,
  visibleProblem,
  visibleTrace,
} from './delivery-item.ts'
export {
  contains,
  isRecipientLike,
  isSenderLike,
  isWholeAddress,
  saysNothing,
  visibleBrands,
  warnOfWholeAddresses,
} from './delivery-query.ts'
export { addExportRoute } from './export-route.ts'
export {
  partOfAddress,
  textLengthMax,
  tooManyWildcards,
  wildcardFault,
} from './filter-parameters.ts'
export { findMauticNames } from './mautic-names.ts'
export { findAttempts } from './message-attempts.ts'
export { addDeliveryRoutes, namedContact, warnings } from './routes.ts'
export type { SettledOutcome } from './settle-delivery.ts'
export { addSettleRoutes } from './settle-routes.ts'
export { findContact } from './shown-with.ts'
export { countByTransport } from './stats/count-by-transport.ts'
export { EmailActivity, recentDeliveries } from './stats/email-activity.ts'
export { createCountFolding } from './stats/fold-changes.ts'
export { addStatsRoutes } from './stats/routes.ts'
export { readTransportRates } from './stats/transport-rates.ts'
