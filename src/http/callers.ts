import type { FastifyRequest } from 'fastify'
import type { Caller } from '../kit/caller.ts'

/** Who asks, by request: set by authentication, read by the routes. */
export interface Callers {
  set(request: FastifyRequest, caller: Caller): void
  /** Throws where the route is public. */
  of(request: FastifyRequest): Caller
}

export function createCallers(): Callers {
  const callers = new WeakMap<object, Caller>()
  return {
    set(request, caller) {
      callers.set(request.raw, caller)
    },
    of(request) {
      const caller = callers.get(request.raw)
      if (caller === undefined) throw new Error('A public route asked who its caller is.')
      return caller
    },
  }
}
