import type { PeerTrust } from '../smtp/smtp-settings.ts'

/**
 * What is spoken there: `smtps` is SMTP in TLS from the first byte; `smtp` begins in plain text and goes on
 * in TLS after STARTTLS, if at all; `https` is an API.
 */
export type EndpointProtocol = 'smtps' | 'smtp' | 'https'

/** A server to connect to. */
export interface Endpoint {
  /** A name or an address; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  /** Decides what is advised where it cannot be connected to. */
  readonly protocol: EndpointProtocol
  readonly trust: PeerTrust
  /** The local address to connect from; null for the system's choice. */
  readonly sourceAddress: string | null
}

/** Host and port as people write them. */
export function endpointName({ host, port }: Pick<Endpoint, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
