import Type from 'typebox'
import type { HttpApp } from './http-app.ts'

const status = Type.Object({ status: Type.String() })

/** `/healthz` while the process lives, `/readyz` while it can serve; neither needs a log-in. */
export function addHealthRoutes(app: HttpApp, checkReady: () => Promise<void>): void {
  const config = { permission: 'public' as const }
  app.get(
    '/healthz',
    { config, schema: { summary: 'Is it alive?', tags: ['health'], response: { 200: status } } },
    async () => ({ status: 'alive' }),
  )
  app.get(
    '/readyz',
    { config, schema: { summary: 'Can it serve?', tags: ['health'], response: { 200: status } } },
    async () => {
      await checkReady()
      return { status: 'ready' }
    },
  )
}
