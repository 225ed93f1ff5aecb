import Type from 'typebox'
import type { HttpApp } from '../../../platform/http/index.ts'
import type { Metrics } from './metrics.ts'

const schema = {
  operationId: 'getMetrics',
  summary: 'Get the metrics for Prometheus',
  description:
    'Without `MAILYARD_PUBLIC_URL`, a request from the same machine (to `localhost` or a loopback address, not through a ' +
    'reverse proxy) needs no credentials and no permission. With it, each request does. Values from the database are kept for 5 seconds. `docs/metrics.md` lists the series.',
  tags: ['health'],
  response: {
    200: {
      description: 'The text format of Prometheus.',
      content: {
        'text/plain': {
          schema: Type.String(),
          example:
            '# HELP mailyard_database_up Whether the database answered within two seconds\n' +
            '# TYPE mailyard_database_up gauge\nmailyard_database_up 1\n',
        },
      },
    },
  },
}

/**
 * Adds `GET /metrics`.
 *
 * @param isPublished whether a reverse proxy may serve it to others: one on this machine can make any request look local
 */
export function addMetricsRoute(
  app: HttpApp,
  { metrics, isPublished }: { metrics: Metrics; isPublished: boolean },
): void {
  const config = {
    permission: 'api:view' as const,
    needsAllBrands: true,
    isPublicOnLoopback: !isPublished,
  }
  app.get('/metrics', { schema, config }, async (_request, reply) => {
    const text = await metrics.render()
    return reply.type(metrics.contentType).send(text)
  })
}
