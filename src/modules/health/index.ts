export {
  ConditionWatcher,
  conditionMigrations,
  createPublishedConditions,
} from './condition-watcher.ts'
export {
  badDatabase,
  examineClock,
  examineKeyFile,
  examineSchema,
} from './examine-database.ts'
export { examinePorts } from './examine-network.ts'
export { examineDefaultTransport } from './examine-transports.ts'
export { bad, good } from './finding.ts'
export { examineRecords, Health } from './health.ts'
export { Metrics } from './metrics/metrics.ts'
export { addMetricsRoute } from './metrics/routes.ts'
export { addFindingRoute } from './routes.ts'
export type { Finding } from './schema.ts'
