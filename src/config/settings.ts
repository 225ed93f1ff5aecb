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
  parseSecretKey,
  parseSourceAddresses,
  parseText,
  parseTrustedNetworks,
  parseWhole,
} from './parse-setting.ts'

/** One environment variable: its name, its default as text, what it means and how its text is read. */
export interface Setting<K extends keyof Config = keyof Config> {
  key: K
  name: string
  default: string
  meaning: string
  isSecret: boolean
  /** Reads the text; throws an Error whose message says what would be right. */
  parse(text: string): Config[K]
}

/** Every setting, in the order in which the documentation lists them. */
export const settings: readonly Setting[] = [
  setting('host', 'MAILYARD_HOST', '127.0.0.1', 'where the API listens', parseText),
  setting('port', 'MAILYARD_PORT', '8080', 'the port of the API; 0 takes a free one', parsePort),
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
    'encrypts secrets at rest; without it a key file (mode 0600) is made beside the SQLite database',
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
    'how long an OAuth access token lives',
    parsePositive,
  ),
  setting(
    'refreshTokenLifetimeDays',
    'MAILYARD_REFRESH_TOKEN_DAYS',
    '14',
    'how long an OAuth refresh token lives',
    parsePositive,
  ),
  setting(
    'trustedProxies',
    'MAILYARD_TRUSTED_PROXIES',
    '',
    'addresses or networks of reverse proxies whose `X-Forwarded-For` is believed, comma-separated',
    parseAddresses,
  ),
  setting(
    'mailerDsn',
    'MAILYARD_MAILER_DSN',
    '',
    'DSN of the default transport; without it there is none',
    parseOptionalText,
    { isSecret: true },
  ),
  setting(
    'mailerFrom',
    'MAILYARD_MAILER_FROM',
    'mailyard@localhost',
    'the sender where nothing else names one',
    parseEmailAddress,
  ),
  setting(
    'outboundPolicy',
    'MAILYARD_OUTBOUND_POLICY',
    'open',
    '`open`, or `public` to close private and loopback addresses to transports',
    parsePolicy,
  ),
  setting(
    'outboundAllow',
    'MAILYARD_OUTBOUND_ALLOW',
    '',
    'what `public` lets through besides: networks, addresses or host names, with or without a port, comma-separated',
    parseList,
  ),
  setting(
    'outboundDeny',
    'MAILYARD_OUTBOUND_DENY',
    '',
    'what is closed on top, written alike',
    parseList,
  ),
  setting(
    'sourceAddresses',
    'MAILYARD_SOURCE_ADDRESSES',
    '',
    'IP addresses of this machine that the `source_ip` of a DSN may name, comma-separated; without them it is refused',
    parseSourceAddresses,
  ),
  setting(
    'sendmailCommand',
    'MAILYARD_SENDMAIL_COMMAND',
    '',
    'the one command that `sendmail://` transports run, such as `/usr/sbin/sendmail -i`; without it they are refused',
    parseCommand,
  ),
  setting(
    'deliveriesKeepDays',
    'MAILYARD_DELIVERIES_KEEP_DAYS',
    '90',
    'how long the list of deliveries reaches back',
    parsePositive,
  ),
  setting(
    'templateVersionsKeep',
    'MAILYARD_TEMPLATE_VERSIONS_KEEP',
    '100',
    'how many versions of each Twig template are kept, the newest ones; the current one always is',
    parsePositive,
  ),
  setting(
    'uncertainHoldHours',
    'MAILYARD_UNCERTAIN_HOLD_HOURS',
    '24',
    'how long a message whose outcome is uncertain is held off when it is handed in again',
    parsePositive,
  ),
  setting(
    'inboxMegabytesMax',
    'MAILYARD_INBOX_MEGABYTES',
    '100',
    'how much `inbox://local` holds; the oldest captured messages are deleted first, and the newest always stays',
    parsePositive,
  ),
  setting(
    'inboxKeepDays',
    'MAILYARD_INBOX_KEEP_DAYS',
    '7',
    'after how many days a captured message is deleted; the newest always stays',
    parsePositive,
  ),
  setting('smtpHost', 'MAILYARD_SMTP_HOST', '127.0.0.1', 'where the SMTP door listens', parseText),
  setting(
    'smtpPort',
    'MAILYARD_SMTP_PORT',
    '2525',
    'the port of the SMTP door; empty closes it',
    parseOptionalPort,
  ),
  setting(
    'smtpTrustedNetworks',
    'MAILYARD_SMTP_TRUSTED_NETWORKS',
    '',
    'who needs no log-in at the SMTP door, as `network=user name`, comma-separated (`10.1.0.0/16=mautic`)',
    parseTrustedNetworks,
  ),
  setting(
    'smtpsPort',
    'MAILYARD_SMTPS_PORT',
    '',
    'the port of the SMTP door with TLS from the first byte, such as 4650; empty opens none',
    parseOptionalPort,
  ),
  setting(
    'smtpTlsCertificate',
    'MAILYARD_SMTP_TLS_CERTIFICATE',
    '',
    'certificate of the SMTP door with its chain, in PEM (name a file with `…_FILE`); without it there is no TLS, and no log-in from other machines',
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
    'the largest message that the SMTP door takes',
    parsePositive,
  ),
  setting(
    'smtpConnectionsMax',
    'MAILYARD_SMTP_CONNECTIONS',
    '2000',
    'how many connections the SMTP door holds open',
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
    'how many of them may be without a log-in; beyond it the oldest of these is closed for a new one; empty is a quarter of all, at least 10',
    parseOptionalPositive,
  ),
  setting(
    'smtpLoginSeconds',
    'MAILYARD_SMTP_LOGIN_SECONDS',
    '30',
    'how long after it connected a client of the SMTP door may take to log in',
    parsePositive,
  ),
  setting(
    'smtpRefusalMemoryMinutes',
    'MAILYARD_SMTP_REFUSAL_MEMORY_MINUTES',
    '15',
    'how long a recipient who was refused for good is answered from memory when the same email comes for him again; 0 asks each time',
    parseWhole,
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

/** The configuration of an empty environment. */
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
