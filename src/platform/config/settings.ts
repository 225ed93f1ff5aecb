import { logLevels } from '../../kit/log.ts'
import { smtpModes } from '../../kit/smtp-mode.ts'
import {
  listOf,
  oneOf,
  optional,
  parseBoolean,
  parseBounceAddress,
  parseCommand,
  parseDatabaseUrl,
  parseDnsServers,
  parseEmailAddress,
  parseIpAddress,
  parseList,
  parseNetwork,
  parsePassword,
  parsePem,
  parsePort,
  parsePositive,
  parsePublicUrl,
  parseRecipients,
  parseSecretKey,
  parseText,
  parseTrustedNetwork,
  parseWaitSeconds,
  parseWhole,
} from './parse-setting.ts'

/** How a setting is read: its environment variable, its default as text, and its meaning. */
interface Definition {
  name: string
  default: string
  meaning: string
  isSecret?: true
  /** Parses the text. Throws an Error with a message such as `must be true or false`. */
  parse: (text: string) => unknown
}

/** Every setting, in the order of the documentation. */
const definitions = {
  host: {
    name: 'MAILYARD_HOST',
    default: '127.0.0.1',
    meaning: 'where the API listens',
    parse: parseText,
  },
  port: {
    name: 'MAILYARD_PORT',
    default: '8080',
    meaning: 'the port of the API; 0 takes a free one',
    parse: parsePort,
  },
  publicUrl: {
    name: 'MAILYARD_PUBLIC_URL',
    default: '',
    meaning: 'what links start with, such as `https://mail.example.com`; by default host and port',
    parse: optional(parsePublicUrl),
  },
  confirmUrl: {
    name: 'MAILYARD_CONFIRM_URL',
    default: '',
    meaning:
      'the same as `MAILYARD_PUBLIC_URL`: does what `mailyard confirm` does, at the start; remove it afterwards',
    parse: optional(parsePublicUrl),
  },
  databaseUrl: {
    name: 'MAILYARD_DATABASE_URL',
    default: 'sqlite:./data/mailyard.db',
    meaning: '`sqlite:<path>` or `postgres://user:password@host/database`',
    parse: parseDatabaseUrl,
    isSecret: true,
  },
  secretKey: {
    name: 'MAILYARD_SECRET_KEY',
    default: '',
    meaning: 'encrypts secrets at rest; empty: a key file (mode 0600) beside the SQLite database',
    parse: optional(parseSecretKey),
    isSecret: true,
  },
  adminUsername: {
    name: 'MAILYARD_ADMIN_USERNAME',
    default: 'admin',
    meaning: 'user name of the first administrator',
    parse: parseText,
  },
  adminEmail: {
    name: 'MAILYARD_ADMIN_EMAIL',
    default: 'admin@localhost',
    meaning: 'email address of the first administrator',
    parse: parseEmailAddress,
  },
  adminPassword: {
    name: 'MAILYARD_ADMIN_PASSWORD',
    default: '',
    meaning:
      'password of the first administrator; without it the first start prints a link to choose one',
    parse: optional(parsePassword),
    isSecret: true,
  },
  isApiEnabled: {
    name: 'MAILYARD_API_ENABLED',
    default: 'true',
    meaning: 'whether the API answers',
    parse: parseBoolean,
  },
  isBasicAuthEnabled: {
    name: 'MAILYARD_BASIC_AUTH_ENABLED',
    default: 'true',
    meaning: 'whether HTTP Basic authentication is accepted',
    parse: parseBoolean,
  },
  accessTokenLifetimeMinutes: {
    name: 'MAILYARD_ACCESS_TOKEN_MINUTES',
    default: '60',
    meaning: 'how long an OAuth access token is valid',
    parse: parsePositive,
  },
  refreshTokenLifetimeDays: {
    name: 'MAILYARD_REFRESH_TOKEN_DAYS',
    default: '14',
    meaning: 'how long an OAuth refresh token is valid',
    parse: parsePositive,
  },
  trustedProxies: {
    name: 'MAILYARD_TRUSTED_PROXIES',
    default: '',
    meaning: 'addresses or networks of proxies whose `X-Forwarded-For` is trusted, comma-separated',
    parse: listOf(parseNetwork),
  },
  mailerDsn: {
    name: 'MAILYARD_MAILER_DSN',
    default: '',
    meaning: 'DSN of the default transport; empty: no default transport',
    parse: optional(parseText),
    isSecret: true,
  },
  mailerFrom: {
    name: 'MAILYARD_MAILER_FROM',
    default: 'mailyard@localhost',
    meaning: 'the default sender',
    parse: parseEmailAddress,
  },
  allowedRecipients: {
    name: 'MAILYARD_ALLOWED_RECIPIENTS',
    default: '',
    meaning:
      'the only addresses and domains that get mail, comma-separated; the inbox captures the rest; empty: all',
    parse: optional(parseRecipients),
  },
  outboundPolicy: {
    name: 'MAILYARD_OUTBOUND_POLICY',
    default: 'open',
    meaning: '`open`, or `public` to reject private and loopback addresses of transports',
    parse: oneOf('open', 'public'),
  },
  outboundAllow: {
    name: 'MAILYARD_OUTBOUND_ALLOW',
    default: '',
    meaning:
      'exceptions to `public`: networks, addresses or host names, with or without a port, comma-separated',
    parse: parseList,
  },
  outboundDeny: {
    name: 'MAILYARD_OUTBOUND_DENY',
    default: '',
    meaning: 'networks, addresses or host names that transports never connect to, comma-separated',
    parse: parseList,
  },
  sourceAddresses: {
    name: 'MAILYARD_SOURCE_ADDRESSES',
    default: '',
    meaning: 'IP addresses of this machine that `source_ip` of a DSN may name, comma-separated',
    parse: listOf(parseIpAddress),
  },
  sendmailCommand: {
    name: 'MAILYARD_SENDMAIL_COMMAND',
    default: '',
    meaning:
      'the one command of `sendmail://` transports, such as `/usr/sbin/sendmail -i`; empty: they are rejected',
    parse: parseCommand,
  },
  dnsServers: {
    name: 'MAILYARD_DNS_SERVERS',
    default: '',
    meaning:
      'DNS servers for records of sender domains, such as `192.0.2.53:5353`, at most three; empty: those of the system',
    parse: parseDnsServers,
  },
  deliveriesKeepDays: {
    name: 'MAILYARD_DELIVERIES_KEEP_DAYS',
    default: '90',
    meaning: 'how long deliveries are kept',
    parse: parsePositive,
  },
  templateVersionsKeep: {
    name: 'MAILYARD_TEMPLATE_VERSIONS_KEEP',
    default: '100',
    meaning: 'how many versions of each Twig template are kept',
    parse: parsePositive,
  },
  deletedDays: {
    name: 'MAILYARD_DELETED_DAYS',
    default: '30',
    meaning: 'how many days deleted transports, templates, emails and contacts can be restored',
    parse: parsePositive,
  },
  uncertainHoldHours: {
    name: 'MAILYARD_UNCERTAIN_HOLD_HOURS',
    default: '24',
    meaning: 'how long an uncertain message is deferred when it is submitted again',
    parse: parsePositive,
  },
  memoryMegabytesMax: {
    name: 'MAILYARD_MEMORY_MEGABYTES',
    default: '',
    meaning:
      'the memory for what is received at a time; empty: 12 times the largest message, at least 300',
    parse: optional(parsePositive),
  },
  inboxMegabytesMax: {
    name: 'MAILYARD_INBOX_MEGABYTES',
    default: '100',
    meaning:
      'the size limit of `inbox://local`; the oldest messages are deleted first, the newest never',
    parse: parsePositive,
  },
  inboxKeepDays: {
    name: 'MAILYARD_INBOX_KEEP_DAYS',
    default: '7',
    meaning: 'after how many days a captured message is deleted; the newest never',
    parse: parsePositive,
  },
  smtpHost: {
    name: 'MAILYARD_SMTP_HOST',
    default: '127.0.0.1',
    meaning: 'where the SMTP server listens',
    parse: parseText,
  },
  smtpPort: {
    name: 'MAILYARD_SMTP_PORT',
    default: '2525',
    meaning: 'the port of the SMTP server; empty disables it',
    parse: optional(parsePort),
  },
  smtpTrustedNetworks: {
    name: 'MAILYARD_SMTP_TRUSTED_NETWORKS',
    default: '',
    meaning: 'networks that submit mail without a log-in, comma-separated: `10.1.0.0/16=user name`',
    parse: listOf(parseTrustedNetwork),
  },
  smtpsPort: {
    name: 'MAILYARD_SMTPS_PORT',
    default: '',
    meaning: 'the port of the SMTP server with implicit TLS, such as 4650; empty disables it',
    parse: optional(parsePort),
  },
  smtpTlsCertificate: {
    name: 'MAILYARD_SMTP_TLS_CERTIFICATE',
    default: '',
    meaning:
      'certificate with its chain, in PEM; empty: no TLS, and no SMTP log-in from other machines',
    parse: (text) => parsePem(text, 'CERTIFICATE'),
    isSecret: true,
  },
  smtpTlsKey: {
    name: 'MAILYARD_SMTP_TLS_KEY',
    default: '',
    meaning: 'private key of that certificate, in PEM',
    parse: (text) => parsePem(text, 'PRIVATE KEY'),
    isSecret: true,
  },
  smtpMessageSizeMegabytesMax: {
    name: 'MAILYARD_SMTP_MESSAGE_MEGABYTES',
    default: '25',
    meaning: 'the largest message that the SMTP server accepts',
    parse: parsePositive,
  },
  smtpConnectionsMax: {
    name: 'MAILYARD_SMTP_CONNECTIONS',
    default: '2000',
    meaning: 'how many open connections the SMTP server accepts',
    parse: parsePositive,
  },
  smtpConnectionsPerAddressMax: {
    name: 'MAILYARD_SMTP_CONNECTIONS_PER_ADDRESS',
    default: '1500',
    meaning: 'how many of them one IPv4 address or one IPv6 /64 network may have',
    parse: parsePositive,
  },
  smtpUnauthenticatedMax: {
    name: 'MAILYARD_SMTP_UNAUTHENTICATED_CONNECTIONS',
    default: '',
    meaning: 'how many of them may be without a log-in; empty: a quarter of all, at least 10',
    parse: optional(parsePositive),
  },
  smtpLoginSeconds: {
    name: 'MAILYARD_SMTP_LOGIN_SECONDS',
    default: '30',
    meaning: 'how long after connecting a client may take to log in over SMTP',
    parse: parsePositive,
  },
  smtpRefusalMemoryMinutes: {
    name: 'MAILYARD_SMTP_REFUSAL_MEMORY_MINUTES',
    default: '15',
    meaning:
      'how long a permanent refusal is repeated for the same email without asking again; 0: always asks',
    parse: parseWhole,
  },
  suppressBounces: {
    name: 'MAILYARD_SUPPRESS_BOUNCES',
    default: 'true',
    meaning: 'whether an address that a server refuses for good (5.1.x) is suppressed as `bounced`',
    parse: parseBoolean,
  },
  bounceAddress: {
    name: 'MAILYARD_BOUNCE_ADDRESS',
    default: '',
    meaning:
      'where bounces of transports with `return_path=on` come back to, such as `bounces@mail.example.com`',
    parse: optional(parseBounceAddress),
  },
  smtpMode: {
    name: 'MAILYARD_SMTP_MODE',
    default: 'hybrid',
    meaning:
      'what 250 means: `direct`: accepted by the server; `queue`: stored; `hybrid`: accepted, or stored after a time',
    parse: oneOf(...smtpModes),
  },
  smtpWaitSeconds: {
    name: 'MAILYARD_SMTP_WAIT_SECONDS',
    default: '20',
    meaning:
      'how long a client waits for the server of the transport before its message is stored; 1 to 45',
    parse: parseWaitSeconds,
  },
  queueMegabytesMax: {
    name: 'MAILYARD_QUEUE_MEGABYTES',
    default: '10000',
    meaning: 'the size limit of the queue; when it is reached, messages are answered 452',
    parse: parsePositive,
  },
  queueHours: {
    name: 'MAILYARD_QUEUE_HOURS',
    default: '24',
    meaning: 'how long delivery of a queued message is tried',
    parse: parsePositive,
  },
  queueBulkHours: {
    name: 'MAILYARD_QUEUE_BULK_HOURS',
    default: '72',
    meaning: 'the same for bulk messages',
    parse: parsePositive,
  },
  uncertain: {
    name: 'MAILYARD_UNCERTAIN',
    default: 'hold',
    meaning:
      '`hold`: an uncertain message waits for a person; `retry`: a transactional one is sent again, perhaps twice',
    parse: oneOf('hold', 'retry'),
  },
  logLevel: {
    name: 'MAILYARD_LOG_LEVEL',
    default: 'info',
    meaning: `one of ${logLevels.join(', ')}`,
    parse: oneOf(...logLevels),
  },
  logFormat: {
    name: 'MAILYARD_LOG_FORMAT',
    default: '',
    meaning: '`pretty` (lines for people) or `json`; empty: `pretty` in a terminal, else `json`',
    parse: optional(oneOf('pretty', 'json')),
  },
} satisfies Record<string, Definition>

/** The configuration. It is read from the environment once, at the start. */
export type Config = {
  [Key in keyof typeof definitions]: ReturnType<(typeof definitions)[Key]['parse']>
}

/** A setting, and its key in the configuration. */
export interface Setting extends Definition {
  key: keyof Config
}

export const settings = Object.entries<Definition>(definitions).map(
  ([key, definition]): Setting => ({ key: key as keyof Config, ...definition }),
)

/** Returns the configuration of an empty environment. */
export function defaultConfig(): Config {
  const entries = settings.map((setting) => [setting.key, setting.parse(setting.default)])
  return Object.fromEntries(entries) as Config
}
