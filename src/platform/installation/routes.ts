import Type from 'typebox'
import type { Callers, HttpApp } from '../http/index.ts'
import type { Installation } from './installation.ts'

/** Adds `POST /api/installation/confirm`. */
export function addInstallationRoutes(
  app: HttpApp,
  { installation, callers }: { installation: Installation; callers: Callers },
): void {
  const schema = {
    operationId: 'confirmInstallation',
    summary: 'Confirm that this database is the original: send what waits',
    description:
      'After a restore or another `MAILYARD_PUBLIC_URL`, a database may be a copy, and sends nothing until this. `GET /api/session` says so.',
    tags: ['health'],
    response: { 200: Type.Object({ success: Type.Boolean() }, { examples: [{ success: true }] }) },
  }
  const config = { permission: 'administrator' as const, needsAllBrands: true }
  app.post('/api/installation/confirm', { schema, config }, async (request) => {
    await installation.confirm(callers.of(request).name)
    return { success: true }
  })
}
