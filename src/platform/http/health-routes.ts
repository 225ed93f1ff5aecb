import Type from 'typebox'
import type { HttpApp } from './http-app.ts'

const statusOf = (status: string) => Type.Object({ status: Type.String({ examples: [status] }) })

/** Adds `/healthz`, which answers while the process runs, and `/readyz`, which answers while the database does. Both are public. */
export function addHealthRoutes(app: HttpApp, checkReady: () => Promise<void>): void {
  const config = { permission: 'public' as const }
  app.get(
    '/healthz',
    {
      config,
      schema: {
        operationId: 'getHealth',
        summary: 'Check that the process runs',
        description: 'Answers while the process runs, even without its database.',
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
        summary: 'Check that the database answers',
        description: 'Answers 503 while the database is unavailable.',
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
