import type { Callers, HttpApp } from '../../platform/http/index.ts'
import type { Health } from './health.ts'
import { healthReport } from './schema.ts'

/** Adds `GET /api/health/findings`. */
export function addFindingRoute(app: HttpApp, health: Health, callers: Callers): void {
  const schema = {
    operationId: 'getFindings',
    summary: 'Examine the running Mailyard: findings, settings, versions, database, processes',
    description:
      'The checks of `mailyard doctor`, as the process that answers sees them. No secret is shown. Callers with brands get the findings of their brands; settings, versions, database and processes are for those of all brands.',
    tags: ['health'],
    response: { 200: healthReport },
  }
  const config = { permission: 'administrator' as const }
  app.get('/api/health/findings', { schema, config }, (request) =>
    health.examine(callers.of(request)),
  )
}
