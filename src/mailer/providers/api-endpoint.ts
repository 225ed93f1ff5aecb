import type { DsnReader } from './dsn-reader.ts'
import { asciiHost } from './smtp-scheme.ts'

/**
 * Where an API is: the provider's own host, or the DSN's where it names one, as in Symfony. Mautic's
 * plug-ins write anything behind the `@`, so it means nothing in their schemes.
 */
export function apiEndpoint(dsn: DsnReader, ownHost: string): string {
  if (isPlugin(dsn)) return `https://${ownHost}`
  return httpsEndpoint(dsn.hasDefaultHost ? ownHost : dsn.host, dsn.port)
}

/** `https://host` or `https://host:port` of a host as a DSN writes it. */
export function httpsEndpoint(dsnHost: string, port?: number): string {
  const host = asciiHost(dsnHost)
  const authority = host.includes(':') ? `[${host}]` : host
  return `https://${authority}${port === undefined ? '' : `:${port}`}`
}

/** The key of an API, in the user part; Mautic's plug-ins and some READMEs put it into the password. */
export function apiKey(dsn: DsnReader, what: string): string {
  return dsn.user ?? dsn.password ?? dsn.requireUser(what)
}

/** Whether the scheme is one of a plug-in of Mautic. */
export function isPlugin({ scheme }: DsnReader): boolean {
  return scheme.startsWith('mautic+')
}
