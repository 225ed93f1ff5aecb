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
  smtpHost: string
  /** Undefined closes the SMTP door. */
  smtpPort: number | undefined
  smtpTrustedNetworks: TrustedNetwork[]
  logLevel: LogLevel
}
