import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { WorkQueue } from '../kit/work-queue.ts'
import type { Callers } from './http-app.ts'

/** Runs the handler of an expensive route as a job of the caller; see `isExpensive` of a route's `config`. */
export function queueExpensiveWork(route: RouteOptions, work: WorkQueue, callers: Callers): void {
  // Fastify copies the route of HEAD from that of GET, whose handler runs as a job already.
  if (route.config?.isExpensive !== true || route.method === 'HEAD') return
  const { handler } = route
  route.handler = function (request: FastifyRequest, reply: FastifyReply) {
    return work.run(callers.ownerOf(request), () => handler.call(this, request, reply))
  }
}
