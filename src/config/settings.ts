import { isIP } from 'node:net'
import { type LogLevel, logLevels } from '../kit/log.ts'
import type { Config, TrustedNetwork } from './config.ts'

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
    'how many of them one address may have',
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

function parseText(text: string): string {
  if (text === '') throw new Error('must not be empty')
  return text
}

function parseOptionalText(text: string): string | undefined {
  return text === '' ? undefined : text
}

function parseEmailAddress(text: string): string {
  if (/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(text)) return text
  throw new Error('must be an email address, such as ann@example.com')
}

function parsePassword(text: string): string | undefined {
  if (text !== '' && text.length < 8) throw new Error('must have 8 characters or more')
  return parseOptionalText(text)
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error('must be a port from 0 to 65535')
  return port
}

function parseOptionalPort(text: string): number | undefined {
  return text === '' ? undefined : parsePort(text)
}

function parseWhole(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error('must be a whole number of 0 or more')
  return Number(text)
}

function parsePem(text: string, label: string): string | undefined {
  const pem = text.trim()
  if (pem === '') return undefined
  if (!/^-----BEGIN [A-Z ]+-----\n/m.test(pem) || !pem.includes(`${label}-----`)) {
    throw new Error(`must be PEM that begins with -----BEGIN ${label}-----`)
  }
  return pem
}

function parsePositive(text: string): number {
  const number = Number(text)
  if (!/^\d{1,6}$/.test(text) || number < 1) throw new Error('must be a whole number of 1 or more')
  return number
}

function parseBoolean(text: string): boolean {
  const value = text.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(value)) return true
  if (['false', '0', 'no', 'off'].includes(value)) return false
  throw new Error('must be true or false')
}

function parseDatabaseUrl(text: string): string {
  if (/^sqlite:./.test(text)) return text
  if (/^postgres(ql)?:\/\/./.test(text) && URL.canParse(text)) return text
  throw new Error('must be sqlite:<path> or postgres://user:password@host:port/database')
}

function parseSecretKey(text: string): string | undefined {
  if (text !== '' && text.length < 32) {
    throw new Error('must have 32 characters or more; `openssl rand -base64 32` makes one')
  }
  return parseOptionalText(text)
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level === undefined) throw new Error(`must be one of ${logLevels.join(', ')}`)
  return level
}

function parseLogFormat(text: string): 'pretty' | 'json' | undefined {
  if (text === '') return undefined
  if (text === 'pretty' || text === 'json') return text
  throw new Error('must be pretty or json')
}

function parseList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function parsePolicy(text: string): 'open' | 'public' {
  if (text === 'open' || text === 'public') return text
  throw new Error('must be open or public')
}

function parseCommand(text: string): [string, ...string[]] | undefined {
  const [program, ...rest] = text.split(/\s+/).filter((word) => word !== '')
  if (program === undefined) return undefined
  if (!program.startsWith('/')) throw new Error('must begin with the whole path of a program')
  return [program, ...rest]
}

function parseAddresses(text: string): string[] {
  const parts = parseList(text)
  for (const part of parts) checkNetwork(part)
  return parts
}

function parseSourceAddresses(text: string): string[] {
  const parts = parseList(text)
  for (const part of parts) {
    if (isIP(part) === 0) throw new Error(`"${part}" must be an IP address, such as 192.0.2.10`)
  }
  return parts
}

function parseTrustedNetworks(text: string): TrustedNetwork[] {
  return parseList(text).map((part) => {
    const at = part.indexOf('=')
    if (at < 1 || at === part.length - 1) {
      throw new Error(`"${part}" must read network=user name, such as 10.1.0.0/16=mautic`)
    }
    const network = part.slice(0, at)
    checkNetwork(network)
    return { network, username: part.slice(at + 1) }
  })
}

function checkNetwork(text: string): void {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  const longest = family === 6 ? 128 : 32
  const isPrefixRight =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest)
  if (family === 0 || !isPrefixRight || rest.length > 0) {
    throw new Error(`"${text}" must be an address or a network, such as 10.1.0.0/16`)
  }
}
