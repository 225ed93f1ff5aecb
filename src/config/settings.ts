import { logLevels } from '../kit/log.ts'
import type { Config } from './config.ts'
import {
  parseAddresses,
  parseBoolean,
  parseCommand,
  parseDatabaseUrl,
  parseEmailAddress,
  parseList,
  parseLogFormat,
  parseLogLevel,
  parseOptionalPort,
  parseOptionalPositive,
  parseOptionalText,
  parsePassword,
  parsePem,
  parsePolicy,
  parsePort,
  parsePositive,
  parsePublicUrl,
  parseSecretKey,
  parseSmtpMode,
  parseSourceAddresses,
  parseText,
  parseTrustedNetworks,
  parseUncertain,
  parseWaitSeconds,
  parseWhole,
} from './parse-setting.ts'

/** An environment variable: its name, its default as text, its meaning and its parser. */
export interface Setting<K extends keyof Config = keyof Config> {
  key: K
  name: string
  default: string
  meaning: string
  isSecret: boolean
  /** Parses the text. Throws an Error with a message such as `must be true or false`. */
  parse(text: string): Config[K]
}

/** Every setting, in the order of the documentation. */
export const settings: readonly Setting[] = [
  setting('host', 'MAILYARD_HOST', '127.0.0.1', 'where the API listens', parseText),
  setting('port', 'MAILYARD_PORT', '8080', 'the port of the API; 0 takes a free one', parsePort),
  setting(
    'publicUrl',
    'MAILYARD_PUBLIC_URL',
    '',
    'what links to pages of Mailyard start with, such as `https://mail.example.com`; by default host and port',
    parsePublicUrl,
  ),
  setting(
    'databaseUrl',
    'MAILYARD_DATABASE_URL',
    'sqlite:./data/mailyard.db',
    '`sqlite:<path>` or `postgres://user:password@host/database`',
    parseDatabaseUrl,
    { isSecret: true },
  ),
  setting(
    'secretKey',
    'MAILYARD_SECRET_KEY',
    '',
    'encrypts secrets at rest; without it a key file (mode 0600) is created beside the SQLite database',
    parseSecretKey,
    { isSecret: true },
  ),
  setting(
    'adminUsername',
    'MAILYARD_ADMIN_USERNAME',
    'admin',
    'user name of the first administrator',
    parseText,
  ),
  setting(
    'adminEmail',
    'MAILYARD_ADMIN_EMAIL',
    'admin@localhost',
    'email address of the first administrator',
    parseEmailAddress,
  ),
  setting(
    'adminPassword',
    'MAILYARD_ADMIN_PASSWORD',
    '',
    'password of the first administrator; without it one is generated and printed once',
    parsePassword,
    { isSecret: true },
  ),
  setting('isApiEnabled', 'MAILYARD_API_ENABLED', 'true', 'whether the API answers', parseBoolean),
  setting(
    'isBasicAuthEnabled',
    'MAILYARD_BASIC_AUTH_ENABLED',
    'true',
    'whether HTTP Basic authentication is accepted',
    parseBoolean,
  ),
  setting(
    'accessTokenLifetimeMinutes',
    'MAILYARD_ACCESS_TOKEN_MINUTES',
    '60',
    'how long an OAuth access token is valid',
    parsePositive,
  ),
  setting(
    'refreshTokenLifetimeDays',
    'MAILYARD_REFRESH_TOKEN_DAYS',
    '14',
    'how long an OAuth refresh token is valid',
    parsePositive,
  ),
  setting(
    'trustedProxies',
    'MAILYARD_TRUSTED_PROXIES',
    '',
    'addresses or networks of reverse proxies whose `X-Forwarded-For` is trusted, comma-separated',
    parseAddresses,
  ),
  setting(
    'mailerDsn',
    'MAILYARD_MAILER_DSN',
    '',
    'DSN of the default transport; empty: no default transport',
    parseOptionalText,
    { isSecret: true },
  ),
  setting(
    'mailerFrom',
    'MAILYARD_MAILER_FROM',
    'mailyard@localhost',
    'the default sender',
    parseEmailAddress,
  ),
  setting(
    'outboundPolicy',
    'MAILYARD_OUTBOUND_POLICY',
    'open',
    '`open`, or `public` to reject private and loopback addresses of transports',
    parsePolicy,
  ),
  setting(
    'outboundAllow',
    'MAILYARD_OUTBOUND_ALLOW',
    '',
    'exceptions to `public`: networks, addresses or host names, with or without a port, comma-separated',
    parseList,
  ),
  setting(
    'outboundDeny',
    'MAILYARD_OUTBOUND_DENY',
    '',
    'networks, addresses or host names that transports are never connected to, with or without a port, comma-separated',
    parseList,
  ),
  setting(
    'sourceAddresses',
    'MAILYARD_SOURCE_ADDRESSES',
    '',
    'IP addresses of this machine that the `source_ip` of a DSN may name, comma-separated; empty: `source_ip` is rejected',
    parseSourceAddresses,
  ),
  setting(
    'sendmailCommand',
    'MAILYARD_SENDMAIL_COMMAND',
    '',
    'the one command that `sendmail://` transports run, such as `/usr/sbin/sendmail -i`; empty: they are rejected',
    parseCommand,
  ),
  setting(
    'deliveriesKeepDays',
    'MAILYARD_DELIVERIES_KEEP_DAYS',
    '90',
    'how long deliveries are kept',
    parsePositive,
  ),
  setting(
    'templateVersionsKeep',
    'MAILYARD_TEMPLATE_VERSIONS_KEEP',
    '100',
    'how many versions of each Twig template are kept; the current one always is',
    parsePositive,
  ),
  setting(
    'deletedDays',
    'MAILYARD_DELETED_DAYS',
    '30',
    'how many days deleted transports, templates, emails and contacts can be restored',
    parsePositive,
  ),
  setting(
    'uncertainHoldHours',
    'MAILYARD_UNCERTAIN_HOLD_HOURS',
    '24',
    'how long a message whose outcome is uncertain is deferred when it is submitted again',
    parsePositive,
  ),
  setting(
    'memoryMegabytesMax',
    'MAILYARD_MEMORY_MEGABYTES',
    '',
    'the memory for what is received and read at a time: bodies of requests, messages, webhooks, captured messages; one caller gets at most half; empty: 12 times the largest message, at least 300',
    parseOptionalPositive,
  ),
  setting(
    'inboxMegabytesMax',
    'MAILYARD_INBOX_MEGABYTES',
    '100',
    'the size limit of `inbox://local`; the oldest captured messages are deleted first, and the newest is always kept',
    parsePositive,
  ),
  setting(
    'inboxKeepDays',
    'MAILYARD_INBOX_KEEP_DAYS',
    '7',
    'after how many days a captured message is deleted; the newest is always kept',
    parsePositive,
  ),
  setting(
    'smtpHost',
    'MAILYARD_SMTP_HOST',
    '127.0.0.1',
    'where the SMTP server listens',
    parseText,
  ),
  setting(
    'smtpPort',
    'MAILYARD_SMTP_PORT',
    '2525',
    'the port of the SMTP server; empty disables it',
    parseOptionalPort,
  ),
  setting(
    'smtpTrustedNetworks',
    'MAILYARD_SMTP_TRUSTED_NETWORKS',
    '',
    'networks that submit mail without a log-in, as `network=user name`, comma-separated (`10.1.0.0/16=mautic`)',
    parseTrustedNetworks,
  ),
  setting(
    'smtpsPort',
    'MAILYARD_SMTPS_PORT',
    '',
    'the port of the SMTP server with implicit TLS, such as 4650; empty disables it',
    parseOptionalPort,
  ),
  setting(
    'smtpTlsCertificate',
    'MAILYARD_SMTP_TLS_CERTIFICATE',
    '',
    'certificate of the SMTP server with its chain, in PEM (name a file with `…_FILE`); without it there is no TLS, and no log-in from other machines',
    (text) => parsePem(text, 'CERTIFICATE'),
    { isSecret: true },
  ),
  setting(
    'smtpTlsKey',
    'MAILYARD_SMTP_TLS_KEY',
    '',
    'private key of that certificate, in PEM',
    (text) => parsePem(text, 'PRIVATE KEY'),
    { isSecret: true },
  ),
  setting(
    'smtpMessageSizeMegabytesMax',
    'MAILYARD_SMTP_MESSAGE_MEGABYTES',
    '25',
    'the largest message that the SMTP server accepts',
    parsePositive,
  ),
  setting(
    'smtpConnectionsMax',
    'MAILYARD_SMTP_CONNECTIONS',
    '2000',
    'how many open connections the SMTP server accepts',
    parsePositive,
  ),
  setting(
    'smtpConnectionsPerAddressMax',
    'MAILYARD_SMTP_CONNECTIONS_PER_ADDRESS',
    '1500',
    'how many of them one IPv4 address or one IPv6 /64 network may have',
    parsePositive,
  ),
  setting(
    'smtpUnauthenticatedMax',
    'MAILYARD_SMTP_UNAUTHENTICATED_CONNECTIONS',
    '',
    'how many of them may be without a log-in; a new one then closes the oldest of these; empty: a quarter of all, at least 10',
    parseOptionalPositive,
  ),
  setting(
    'smtpLoginSeconds',
    'MAILYARD_SMTP_LOGIN_SECONDS',
    '30',
    'how long after connecting a client may take to log in over SMTP',
    parsePositive,
  ),
  setting(
    'smtpRefusalMemoryMinutes',
    'MAILYARD_SMTP_REFUSAL_MEMORY_MINUTES',
    '15',
    'how long a permanent refusal of a recipient is repeated for the same email without asking the server again; 0 always asks',
    parseWhole,
  ),
  setting(
    'suppressBounces',
    'MAILYARD_SUPPRESS_BOUNCES',
    'true',
    'whether an address that a working transport refuses for good (5.1.x) is suppressed as `bounced`',
    parseBoolean,
  ),
  setting(
    'smtpMode',
    'MAILYARD_SMTP_MODE',
    'hybrid',
    'what 250 means: `direct`: accepted by the server of the transport; `queue`: stored; `hybrid`: accepted, or stored if the server has not answered for good in time',
    parseSmtpMode,
  ),
  setting(
    'smtpWaitSeconds',
    'MAILYARD_SMTP_WAIT_SECONDS',
    '20',
    'how long a client waits for the server of the transport before its message is stored: over SMTP in the mode `hybrid`, and for a single send over HTTP; 1 to 45',
    parseWaitSeconds,
  ),
  setting(
    'queueMegabytesMax',
    'MAILYARD_QUEUE_MEGABYTES',
    '10000',
    'the size limit of the queue; when it is reached, messages are answered 452',
    parsePositive,
  ),
  setting(
    'queueHours',
    'MAILYARD_QUEUE_HOURS',
    '24',
    'how long delivery of a queued message is tried',
    parsePositive,
  ),
  setting(
    'queueBulkHours',
    'MAILYARD_QUEUE_BULK_HOURS',
    '72',
    'the same for bulk messages and broadcasts',
    parsePositive,
  ),
  setting(
    'uncertain',
    'MAILYARD_UNCERTAIN',
    'hold',
    '`hold`: a queued message whose outcome is uncertain waits for a person; `retry`: a transactional one is sent again, and may arrive twice',
    parseUncertain,
  ),
  setting(
    'logLevel',
    'MAILYARD_LOG_LEVEL',
    'info',
    `one of ${logLevels.join(', ')}`,
    parseLogLevel,
  ),
  setting(
    'logFormat',
    'MAILYARD_LOG_FORMAT',
    '',
    '`pretty` (lines for people) or `json` (one object a line); empty is `pretty` in a terminal, else `json`',
    parseLogFormat,
  ),
]

/** Returns the configuration of an empty environment. */
export function defaultConfig(): Config {
  const entries = settings.map((setting) => [setting.key, setting.parse(setting.default)])
  return Object.fromEntries(entries) as Config
}

function setting<K extends keyof Config>(
  ...[key, name, fallback, meaning, parse, options]: [
    key: K,
    name: string,
    fallback: string,
    meaning: string,
    parse: (text: string) => Config[K],
    options?: { isSecret: boolean },
  ]
): Setting {
  return { key, name, default: fallback, meaning, isSecret: options?.isSecret ?? false, parse }
}
