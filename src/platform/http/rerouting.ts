import type { IncomingMessage } from 'node:http'

/** Where a request is routed instead of by its own path, such as one under the address of a Mautic. */
export interface Rerouting {
  /** The path and query for the router. */
  readonly url: string
  /** Whether the method stays as it is, also with `X-HTTP-Method-Override`. */
  readonly keepsMethod: boolean
  /** What the client's paths begin with before those of the router, such as `/mautic/acme`; often empty. */
  readonly prefix: string
  /** The path for the log, without secrets. */
  readonly loggedPath: string
}

/** Returns where a request is routed; undefined for most requests. `url` is its path and query. */
export type Reroute = (head: IncomingMessage, url: string) => Rerouting | undefined

const reroutingKey = Symbol('rerouting')

type ReroutedHead = IncomingMessage & { [reroutingKey]?: Rerouting }

/** Remembers where a request is routed. */
export function setRerouting(head: ReroutedHead, rerouting: Rerouting): void {
  head[reroutingKey] = rerouting
}

/** Returns where a request is routed; undefined where its own path decides. */
export function reroutingOf({ raw }: { raw: ReroutedHead }): Rerouting | undefined {
  return raw[reroutingKey]
}

/** Returns a path of a router as the client has to write it. */
export function clientPath(request: { raw: ReroutedHead }, path: string): string {
  const rerouting = reroutingOf(request)
  return rerouting === undefined ? path : rerouting.prefix + path
}
