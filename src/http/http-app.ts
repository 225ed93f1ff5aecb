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

/** The server that rooms add their routes to. */
export type HttpApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type HttpRequest = FastifyRequest
export type HttpReply = FastifyReply
/** Runs before a route's handler; `next` lets the request through, or refuses it with an error. */
export type HttpRequestHook = (
  request: HttpRequest,
  reply: HttpReply,
  next: (error?: Error) => void,
) => void

/**
 * What a route asks of its caller: `area:level`, or several of them; `authenticated` for anybody who
 * is known, `public` for anybody at all.
 */
export type RoutePermission = 'public' | 'authenticated' | `${string}:${string}`

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route has it; a route without one stops the start. */
    permission?: RoutePermission | readonly RoutePermission[]
  }
}
