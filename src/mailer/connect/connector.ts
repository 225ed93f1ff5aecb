import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { Observer } from '../delivery/observer.ts'
import type { OutboundPolicy } from '../policy/outbound-policy.ts'
import type { Endpoint } from './endpoint.ts'
import { openSocket } from './open-socket.ts'
import { type Lookup, resolveHost } from './resolve-host.ts'
import { secureSocket } from './secure-socket.ts'

/** What every connection of a mailer is made with. */
export interface ConnectorOptions {
  readonly policy: OutboundPolicy
  readonly lookup: Lookup
  /** Undefined for the system's certificates. */
  readonly secureContext: SecureContext | undefined
  readonly timeouts: {
    readonly resolveMs: number
    readonly connectMs: number
    readonly tlsMs: number
  }
}

/** What one connection is watched and ended by. */
export interface ConnectOptions {
  readonly observer: Observer
  readonly signal?: AbortSignal | undefined
}

/** Opens connections, for SMTP and HTTPS alike. Every address is checked before it is connected to. */
export interface Connector {
  /** Resolves the name, checks its addresses and connects to a checked one. Throws FaultError. */
  open(endpoint: Endpoint, options: ConnectOptions): Promise<Socket>
  /** Puts TLS on an open socket and checks the certificate. Throws FaultError and destroys the socket. */
  secure(socket: Socket, endpoint: Endpoint, options: ConnectOptions): Promise<TLSSocket>
}

/** Makes the connector of a mailer. */
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
