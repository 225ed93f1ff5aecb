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
export { examineDefaultTransport } from './examine-mail.ts'
export { examinePorts } from './examine-network.ts'
export { examineRecords } from './examine-records.ts'
export { bad, type Finding, good } from './finding.ts'
export { Health } from './health.ts'
export { addFindingRoute } from './routes.ts'
