export {
  badDatabase,
  examineClock,
  examineKeyFile,
  examineSchema,
} from './examine-database.ts'
export { examineDkim } from './examine-dkim.ts'
export { examineEvents } from './examine-events.ts'
export {
  examineBrakes,
  examineDefaultTransport,
  examineDsns,
  examineUncertain,
} from './examine-mail.ts'
export { examineMautics } from './examine-mautics.ts'
export { examinePorts, examineQuickAck } from './examine-network.ts'
export { examineSenders } from './examine-senders.ts'
export { examineSending } from './examine-sending.ts'
export { examineTemplates } from './examine-templates.ts'
export { examineWaiting } from './examine-waiting.ts'
export { examineWebhooks } from './examine-webhooks.ts'
export { bad, type Finding, good } from './finding.ts'
export { Health } from './health.ts'
export { addFindingRoute } from './routes.ts'
export { signalMigrations } from './signals/signal-states.ts'
export { SignalWatcher } from './signals/signal-watcher.ts'
