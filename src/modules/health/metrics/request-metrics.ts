import type { Registry } from 'prom-client'
import type { HttpReply, HttpRequest } from '../../../platform/http/index.ts'
import { Counter, Histogram } from './prom-client.ts'

/** Counts a request that was answered. */
export type ObserveRequest = (request: HttpRequest, reply: HttpReply) => void

/** Seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Adds the series of HTTP requests to a registry. A route is its pattern, so that their number does not grow with ids. */
export function addRequestMetrics(registry: Registry): ObserveRequest {
  const requests = new Counter({
    name: 'mailyard_http_requests_total',
    help: 'HTTP requests that were answered, by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'mailyard_http_request_duration_seconds',
    help: 'How long HTTP requests took until the end of the answer',
    buckets,
    registers: [registry],
  })
  return (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.inc({ method: request.method, route, status: reply.statusCode })
    durations.observe(reply.elapsedTime / 1_000)
  }
}
