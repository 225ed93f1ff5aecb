import Type from 'typebox'
import type { HttpApp } from './http-app.ts'

const statusOf = (status: string) => Type.Object({ status: Type.String({ examples: [status] }) })

/** `/healthz` while the process lives, `/readyz` while it can serve; neither needs a log-in. */
export function addHealthRoutes(app: HttpApp, checkReady: () => Promise<void>): void {
  const config = { permission: 'public' as const }
  app.get(
    '/healthz',
    {
      config,
      schema: {
        operationId: 'getHealth',
        summary: 'Is it alive?',
        description: 'It answers as long as the process runs, also without its database.',
        tags: ['health'],
        response: { 200: statusOf('alive') },
      },
    },
    async () => ({ status: 'alive' }),
  )
  app.get(
    '/readyz',
    {
      config,
      schema: {
        operationId: 'getReadiness',
        summary: 'Can it serve?',
        description: 'It answers 503 when the database does not answer.',
        tags: ['health'],
        errors: [503],
        response: { 200: statusOf('ready') },
      },
    },
    async () => {
      await checkReady()
      return { status: 'ready' }
    },
  )
}
