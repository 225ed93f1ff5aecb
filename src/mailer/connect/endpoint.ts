import type { PeerTrust } from '../smtp/smtp-settings.ts'

/** A server to connect to. */
export interface Endpoint {
  /** A name or an address; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  readonly trust: PeerTrust
  /** The local address to connect from; null for the system's choice. */
  readonly sourceAddress: string | null
}

/** Host and port as people write them. */
export function endpointName({ host, port }: Pick<Endpoint, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
