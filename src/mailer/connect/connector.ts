import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { Observer } from '../delivery/stage.ts'
import type { OutboundPolicy } from '../policy/outbound-policy.ts'
import type { Endpoint } from './endpoint.ts'
import { openSocket } from './open-socket.ts'
import { type Lookup, resolveHost } from './resolve-host.ts'
import { secureSocket } from './secure-socket.ts'

/** Options that all connections of a mailer share. */
interface ConnectorOptions {
  readonly policy: OutboundPolicy
  readonly lookup: Lookup
  /** Undefined to trust the certificates of the system. */
  readonly secureContext: SecureContext | undefined
  readonly timeouts: {
    readonly resolveMs: number
    readonly connectMs: number
    readonly tlsMs: number
  }
}

/** Options of one connection. */
export interface ConnectOptions {
  readonly observer: Observer
  readonly signal?: AbortSignal | undefined
}

/** Opens connections for SMTP and HTTPS. Every address is checked against the outbound policy first. */
export interface Connector {
  /**
   * Resolves the host, checks its addresses and connects to an allowed one.
   * @throws {FaultError}
   */
  open(endpoint: Endpoint, options: ConnectOptions): Promise<Socket>
  /**
   * Starts TLS on an open socket and checks the certificate.
   * @throws {FaultError} after the socket is destroyed.
   */
  secure(socket: Socket, endpoint: Endpoint, options: ConnectOptions): Promise<TLSSocket>
}

/** Creates the connector of a mailer. */
export function createConnector(own: ConnectorOptions): Connector {
  return {
    async open(endpoint, { observer, signal }) {
      observer.enter('resolve')
      const addresses = await resolveHost(endpoint, own)
      observer.found(addresses.map(({ address }) => address).join(', '))
      observer.enter('connect')
      const socket = await openSocket({
        endpoint,
        addresses,
        timeoutMs: own.timeouts.connectMs,
        signal,
      })
      observer.found(`Connected to ${socket.remoteAddress ?? endpoint.host} port ${endpoint.port}.`)
      return socket
    },
    async secure(socket, endpoint, { observer, signal }) {
      observer.enter('tls')
      const { secured, description } = await secureSocket(socket, {
        endpoint,
        secureContext: own.secureContext,
        timeoutMs: own.timeouts.tlsMs,
        signal,
      })
      observer.found(description())
      return secured
    },
  }
}
