import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { WorkPlace, WorkQueue } from '../../kit/work-queue.ts'
import { HttpError } from './errors.ts'
import type { Callers } from './http-app.ts'

/** A smaller body is parsed and saved in milliseconds. */
const largeBytes = 64 * 1024

const responseKey = Symbol('response')
const placeKey = Symbol('place')

type ExpensiveRequest = FastifyRequest & {
  [responseKey]?: ServerResponse
  [placeKey]?: Promise<WorkPlace>
}

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
    if (howExpensive(request.routeOptions) !== false) request[responseKey] = raw
  }

  /** Runs the handler of an expensive route in the place of its request. */
  wrap(route: RouteOptions): void {
    // Fastify copies the route of HEAD from that of GET, whose handler is wrapped already.
    const cost = howExpensive(route)
    if (cost === false || route.method === 'HEAD') return
    const { handler } = route
    const run = this.run.bind(this)
    route.handler = function (request: ExpensiveRequest, reply: FastifyReply) {
      const isSmall = cost === 'if large' && request[placeKey] === undefined
      if (isSmall) return handler.call(this, request, reply)
      return run(request, () => handler.call(this, request, reply))
    }
  }

  /**
   * Runs a part of a request: as a part of its job where the route is expensive, for a body of this size.
   *
   * @throws AppError (`rate_limited`) if too many requests of the caller wait; HttpError (400) where the client disconnected.
   */
  async run<Result>(
    request: ExpensiveRequest,
    part: () => Result | Promise<Result>,
    bodyBytes = 0,
  ): Promise<Result> {
    const response = request[responseKey]
    if (response === undefined) return part()
    const isIfLarge = howExpensive(request.routeOptions) === 'if large'
    if (isIfLarge && request[placeKey] === undefined && bodyBytes <= largeBytes) return part()
    request[placeKey] ??= this.#open(request, response, isIfLarge)
    return (await request[placeKey]).run(part)
  }

  async #open(
    request: FastifyRequest,
    response: ServerResponse,
    isAccepted: boolean,
  ): Promise<WorkPlace> {
    const place = await this.#work.open(this.#callers.ownerOf(request), isAccepted)
    if (response.closed || response.destroyed) {
      place.release()
      throw new HttpError(400, 'The connection ended before the answer. Send the request again.')
    }
    const release = () => place.release()
    response.once('finish', release).once('close', release)
    return place
  }
}

function howExpensive({ config }: Pick<RouteOptions, 'config'>): boolean | 'if large' {
  return config?.isExpensive ?? false
}
