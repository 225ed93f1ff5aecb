import type { FastifyRequest } from 'fastify'
import type { Caller } from '../kit/caller.ts'

/** Who asks, by request: set by authentication, read by the routes. */
export interface Callers {
  set(request: FastifyRequest, caller: Caller): void
  /** Throws where the route is public. */
  of(request: FastifyRequest): Caller
}

/** Nobody else has this key. A WeakMap would do as well, and cost the garbage collector more than the look-up. */
const callerKey = Symbol('caller')

type KnownRequest = FastifyRequest & { [callerKey]?: Caller }

export function createCallers(): Callers {
  return {
    set(request: KnownRequest, caller) {
      request[callerKey] = caller
    },
    of(request: KnownRequest) {
      const caller = request[callerKey]
      if (caller === undefined) throw new Error('A public route asked who its caller is.')
      return caller
    },
  }
}
