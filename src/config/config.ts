import type { LogLevel } from '../kit/log.ts'
import type { SmtpMode } from '../kit/smtp-mode.ts'

/** A network whose hosts submit mail without a log-in, and the user that they act as. */
export interface TrustedNetwork {
  /** In CIDR notation, such as `10.1.0.0/16`. */
  network: string
  username: string
}

/** The configuration. It is read from the environment once, at the start. */
export interface Config {
  host: string
  port: number
  /** Where people reach Mailyard, such as `https://mail.example.com`; see `publicUrl`. */
  publicUrl: string | undefined
  databaseUrl: string
  /** Undefined when the key file beside the database has it. */
  secretKey: string | undefined
  adminUsername: string
  adminEmail: string
  /** Undefined when the first start generates and prints it. */
  adminPassword: string | undefined
  isApiEnabled: boolean
  isBasicAuthEnabled: boolean
  accessTokenLifetimeMinutes: number
  refreshTokenLifetimeDays: number
  trustedProxies: string[]
  mailerDsn: string | undefined
  mailerFrom: string
  /** `public` rejects private and loopback addresses of transports. */
  outboundPolicy: 'open' | 'public'
  outboundAllow: string[]
  outboundDeny: string[]
  /** Local addresses that a DSN's `source_ip` may name. */
  sourceAddresses: string[]
  /** The command that `sendmail://` runs: program and arguments. Undefined disables `sendmail://`. */
  sendmailCommand: [string, ...string[]] | undefined
  /** Where records are looked up, such as `192.0.2.53` or `[2001:db8::53]:5353`; empty: where the system does it. */
  dnsServers: string[]
  deliveriesKeepDays: number
  /** How many versions of each template are kept. */
  templateVersionsKeep: number
  /** How long deleted records can be restored. */
  deletedDays: number
  /** After this time, a message whose outcome is uncertain may be submitted again. */
  uncertainHoldHours: number
  /** The memory limit of what is being received and read at a time; undefined: see `memoryMegabytes`. */
  memoryMegabytesMax: number | undefined
  /** The size limit of all messages in `inbox://local` together. */
  inboxMegabytesMax: number
  inboxKeepDays: number
  smtpHost: string
  /** Undefined disables the SMTP server. */
  smtpPort: number | undefined
  smtpTrustedNetworks: TrustedNetwork[]
  /** Undefined opens no port with implicit TLS. */
  smtpsPort: number | undefined
  /** PEM. Undefined disables TLS of the SMTP server. */
  smtpTlsCertificate: string | undefined
  smtpTlsKey: string | undefined
  smtpMessageSizeMegabytesMax: number
  smtpConnectionsMax: number
  /** Undefined: a quarter of all connections, at least 10. */
  smtpUnauthenticatedMax: number | undefined
  smtpConnectionsPerAddressMax: number
  /** From the connection to the log-in. */
  smtpLoginSeconds: number
  /** How long a permanent refusal of a recipient is repeated without asking the server again; 0 always asks. */
  smtpRefusalMemoryMinutes: number
  /** Whether an address that a server does not know is suppressed as `bounced`. */
  suppressBounces: boolean
  /** Where reports on messages come in by mail; undefined: nowhere. */
  bounceAddress: string | undefined
  smtpMode: SmtpMode
  smtpWaitSeconds: number
  queueMegabytesMax: number
  queueHours: number
  queueBulkHours: number
  /** What happens to a queued message whose outcome is uncertain. */
  uncertain: 'hold' | 'retry'
  logLevel: LogLevel
  /** Undefined: `pretty` in a terminal, else `json`. */
  logFormat: 'pretty' | 'json' | undefined
}

/** The least memory of the default: a caller may then send a batch of the largest size, and others too. */
const memoryMegabytesDefault = 300
/** How many times the largest message is the memory of the default. While it is sent, a message is in memory up to four times. */
const largestInMemory = 12
/** A caller gets at most half of the memory, and needs it for the largest message with its copies, and for the largest batch. */
const leastInMemory = 8
const memoryMegabytesLeast = 128

type MemorySettings = Pick<Config, 'memoryMegabytesMax' | 'smtpMessageSizeMegabytesMax'>

/** The memory for what is being received and read at a time: bodies of requests, messages, webhooks. In megabytes. */
export function memoryMegabytes(config: MemorySettings): number {
  const { memoryMegabytesMax, smtpMessageSizeMegabytesMax } = config
  return (
    memoryMegabytesMax ??
    Math.max(memoryMegabytesDefault, smtpMessageSizeMegabytesMax * largestInMemory)
  )
}

/** Returns what is wrong with the memory setting beside the largest message; undefined where it suffices. */
export function findMemoryFault(config: Partial<MemorySettings>): string | undefined {
  const { memoryMegabytesMax, smtpMessageSizeMegabytesMax = 0 } = config
  const least = Math.max(memoryMegabytesLeast, smtpMessageSizeMegabytesMax * leastInMemory)
  if (memoryMegabytesMax === undefined || memoryMegabytesMax >= least) return undefined
  return `must be at least ${least}: ${leastInMemory} times MAILYARD_SMTP_MESSAGE_MEGABYTES, and never below ${memoryMegabytesLeast}`
}

/** What links to pages of Mailyard start with, without a slash at the end. */
export function publicUrl({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>) {
  if (publicUrl !== undefined) return publicUrl
  const isAny = ['0.0.0.0', '::'].includes(host)
  return `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Where applications submit messages over SMTP. */
export interface SmtpAddress {
  scheme: 'smtp' | 'smtps'
  host: string
  port: number
}

/**
 * Returns where applications submit messages; undefined where the SMTP server is closed. The port 0 takes a free one, which
 * is among `open` once the server listens.
 */
export function smtpAddress(
  config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'smtpPort' | 'smtpsPort'>,
  open: { port: number | undefined; securePort: number | undefined } | undefined,
): SmtpAddress | undefined {
  const { smtpPort, smtpsPort } = config
  const host = new URL(publicUrl(config)).hostname
  if (smtpPort !== undefined) return { scheme: 'smtp', host, port: open?.port ?? smtpPort }
  if (smtpsPort === undefined) return undefined
  return { scheme: 'smtps', host, port: open?.securePort ?? smtpsPort }
}
