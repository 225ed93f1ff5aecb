/** The digest of a pinned certificate, in lower-case hexadecimal. */
export interface Fingerprint {
  readonly algorithm: 'md5' | 'sha1' | 'sha256'
  readonly hex: string
}

/** How the certificate of a server is verified. */
export interface PeerTrust {
  /** Whether chain, host name and validity are checked. */
  readonly isVerified: boolean
  /** One of them must match, in addition to the chain. Empty: no certificate is pinned. */
  readonly fingerprints: readonly Fingerprint[]
}

/**
 * The protocol of a server. `smtps`: SMTP over implicit TLS. `smtp`: SMTP in plain text, with or without STARTTLS.
 * `https`: an API, or a token endpoint; `http`: one of this machine.
 */
export type EndpointProtocol = 'smtps' | 'smtp' | 'https' | 'http'

/** A server to connect to. */
export interface Endpoint {
  /** A host name or an IP address; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  /** Selects the hints of connection faults. */
  readonly protocol: EndpointProtocol
  readonly trust: PeerTrust
  /** The local address to connect from; null to let the system choose. */
  readonly sourceAddress: string | null
}

/** Formats host and port: `[::1]:25`. */
export function endpointName({ host, port }: Pick<Endpoint, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
