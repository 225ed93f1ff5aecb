export { Metrics } from './metrics.ts'
export { addMetricsRoute } from './routes.ts'
