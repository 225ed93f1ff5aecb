import type { LogLevel } from '../kit/log.ts'

/** A network whose hosts may hand in mail without a log-in, and the user that they then are. */
export interface TrustedNetwork {
  /** In CIDR notation, such as `10.1.0.0/16`. */
  network: string
  username: string
}

/** Everything an operator may set. Read once at start; nothing else looks at the environment. */
export interface Config {
  host: string
  port: number
  databaseUrl: string
  /** Undefined where the key file beside the database holds it. */
  secretKey: string | undefined
  adminUsername: string
  adminEmail: string
  /** Undefined where one is made up at the first start and printed once. */
  adminPassword: string | undefined
  isApiEnabled: boolean
  isBasicAuthEnabled: boolean
  accessTokenLifetimeMinutes: number
  refreshTokenLifetimeDays: number
  trustedProxies: string[]
  mailerDsn: string | undefined
  mailerFrom: string
  /** `public` closes private and loopback addresses to transports. */
  outboundPolicy: 'open' | 'public'
  outboundAllow: string[]
  outboundDeny: string[]
  /** Local addresses that a DSN's `source_ip` may name. */
  sourceAddresses: string[]
  /** The one command that `sendmail://` runs: program and arguments; undefined refuses it. */
  sendmailCommand: [string, ...string[]] | undefined
  deliveriesKeepDays: number
  /** Of each template. */
  templateVersionsKeep: number
  /** After which a message whose outcome is uncertain may be handed in again. */
  uncertainHoldHours: number
  /** Of all messages that `inbox://local` holds together. */
  inboxMegabytesMax: number
  inboxKeepDays: number
  smtpHost: string
  /** Undefined closes the SMTP door. */
  smtpPort: number | undefined
  smtpTrustedNetworks: TrustedNetwork[]
  /** Undefined opens no port with implicit TLS. */
  smtpsPort: number | undefined
  /** PEM; undefined offers no TLS at the SMTP door. */
  smtpTlsCertificate: string | undefined
  smtpTlsKey: string | undefined
  smtpMessageSizeMegabytesMax: number
  smtpConnectionsMax: number
  /** Undefined: a quarter of all, at least 10. */
  smtpUnauthenticatedMax: number | undefined
  smtpConnectionsPerAddressMax: number
  /** From the connection to the log-in. */
  smtpLoginSeconds: number
  /** How long a recipient that was refused for good is answered from memory; 0 asks each time. */
  smtpRefusalMemoryMinutes: number
  logLevel: LogLevel
  /** Undefined: `pretty` in a terminal, else `json`. */
  logFormat: 'pretty' | 'json' | undefined
}
