import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { WorkPlace, WorkQueue } from '../kit/work-queue.ts'
import { HttpError } from './errors.ts'
import type { Callers } from './http-app.ts'

const responseKey = Symbol('response')
const placeKey = Symbol('place')

type ExpensiveRequest = FastifyRequest & {
  [responseKey]?: ServerResponse
  [placeKey]?: Promise<WorkPlace>
}

/** Dependencies of `ExpensiveRoutes`. */
export interface ExpensiveRoutesOptions {
  work: WorkQueue
  callers: Pick<Callers, 'ownerOf'>
}

/**
 * Makes each request of an expensive route one job of its caller; see `isExpensive` of a route's `config`. The job starts once the
 * body has arrived, before it is parsed, and ends once the answer is sent: parsed bodies and answers are much larger than what waits.
 */
export class ExpensiveRoutes {
  readonly #work: WorkQueue
  readonly #callers: ExpensiveRoutesOptions['callers']

  constructor({ work, callers }: ExpensiveRoutesOptions) {
    this.#work = work
    this.#callers = callers
  }

  /** Notes the response whose end is that of the job. To be called for each request, before its body is read. */
  accept(request: ExpensiveRequest, { raw }: FastifyReply): void {
    if (isExpensive(request.routeOptions)) request[responseKey] = raw
  }

  /** Runs the handler of an expensive route in the place of its request. */
  wrap(route: RouteOptions): void {
    // Fastify copies the route of HEAD from that of GET, whose handler is wrapped already.
    if (!isExpensive(route) || route.method === 'HEAD') return
    const { handler } = route
    const run = this.run.bind(this)
    route.handler = function (request: FastifyRequest, reply: FastifyReply) {
      return run(request, () => handler.call(this, request, reply))
    }
  }

  /**
   * Runs a part of a request: as a part of its job where the route is expensive.
   *
   * @throws AppError (`rate_limited`) if too many requests of the caller wait; HttpError (400) where the client disconnected.
   */
  async run<Result>(
    request: ExpensiveRequest,
    part: () => Result | Promise<Result>,
  ): Promise<Result> {
    const response = request[responseKey]
    if (response === undefined) return part()
    request[placeKey] ??= this.#open(request, response)
    return (await request[placeKey]).run(part)
  }

  async #open(request: FastifyRequest, response: ServerResponse): Promise<WorkPlace> {
    const place = await this.#work.open(this.#callers.ownerOf(request))
    if (response.closed || response.destroyed) {
      place.release()
      throw new HttpError(400, 'The connection ended before the answer. Send the request again.')
    }
    const release = () => place.release()
    response.once('finish', release).once('close', release)
    return place
  }
}

function isExpensive({ config }: Pick<RouteOptions, 'config'>): boolean {
  return config?.isExpensive === true
}
