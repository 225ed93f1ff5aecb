import { createRequire } from 'node:module'
import type { LookupFunction } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import type { ResolveAllowed } from '../../mailer/index.ts'

const require = createRequire(import.meta.url)

/** Options of `openOutboundAgent`. */
export interface OutboundAgentOptions {
  /** Finds the addresses that the outbound policy allows. */
  resolve: ResolveAllowed
  /** Connections to one Mautic, at most. */
  connectionsMax: number
  /** How long a connection and its TLS handshake may take. Default: 10 s. */
  connectMs?: number
}

/**
 * Opens an agent of undici whose connections are checked against the outbound policy when they are made, by address. The
 * library is loaded here, because a Mailyard without a Mautic does not need it.
 */
export function openOutboundAgent(options: OutboundAgentOptions): Agent {
  const { connectMs = 10_000, connectionsMax } = options
  const { Agent: UndiciAgent, buildConnector: build } = require('undici') as typeof import('undici')
  return new UndiciAgent({
    connections: connectionsMax,
    // Shorter than the keep-alive time of nginx and Apache, so that none closes a connection while a request is sent.
    keepAliveTimeout: 4_000,
    connect: createConnect(build, options.resolve, connectMs),
  })
}

function createConnect(
  build: typeof buildConnector,
  resolve: ResolveAllowed,
  timeout: number,
): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    resolve(options.hostname, port).then(
      (addresses) => {
        // The connection goes to a checked address: the name may resolve to another one now.
        const lookup: LookupFunction = (_host, { all }, found) => {
          const [first] = addresses
          if (all === true) found(null, [...addresses])
          else found(null, first?.address ?? '', first?.family)
        }
        build({ timeout, allowH2: false, lookup })(options, callback)
      },
      (error: Error) => callback(error, null),
    )
  }
}
