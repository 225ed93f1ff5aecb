import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import { type Caller, callerKey } from '../../kit/caller.ts'
import { networkOf } from '../../kit/network-of.ts'

/** The server that modules add their routes to. */
export type HttpApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type HttpRequest = FastifyRequest
export type HttpReply = FastifyReply
/** A hook that runs before the handler of a route. `next(error)` rejects the request. */
export type HttpRequestHook = (
  request: HttpRequest,
  reply: HttpReply,
  next: (error?: Error) => void,
) => void

/**
 * What a route requires of its caller: `area:level`, a role with all permissions (`administrator`), only a log-in
 * (`authenticated`), or nothing (`public`).
 */
export type RoutePermission = 'public' | 'authenticated' | 'administrator' | `${string}:${string}`

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required: adding a route without it throws. A list requires each of its permissions. */
    permission?: RoutePermission | readonly RoutePermission[]
    /** Whether it is about the whole installation: callers with brands are answered 403. */
    needsAllBrands?: boolean
    /** Whether a request without credentials from this machine needs no permission; see `isLocalRequest`. */
    isPublicOnLoopback?: boolean
    /**
     * Whether its handler takes much processor time: of the requests of a caller two run and twenty wait, and more are answered
     * 429. The handler calls `work.turn` between its pieces. `if large`: this is so for a large body only, and however many wait, none
     * is refused. Not for a handler that waits for another server, except for a batch that tests: it counts in its caller's share alone.
     */
    isExpensive?: boolean | 'if large'
  }
}

const known = Symbol('caller')

type KnownRequest = FastifyRequest & { [known]?: Caller }

/** The caller of each request: authentication sets it, routes read it. */
export class Callers {
  set(request: KnownRequest, caller: Caller): void {
    request[known] = caller
  }

  /** Undefined for a request that was not authenticated. */
  find(request: KnownRequest): Caller | undefined {
    return request[known]
  }

  /** Throws for a request that was not authenticated. */
  of(request: KnownRequest): Caller {
    const caller = request[known]
    if (caller === undefined) throw new Error('The caller of a public route is unknown.')
    return caller
  }

  /** Whose share of memory and work a request uses: the key of its caller, or the network of an unauthenticated client. */
  ownerOf(request: KnownRequest): string {
    const caller = request[known]
    return caller === undefined ? `network ${networkOf(request.ip)}` : callerKey(caller)
  }
}
