import { type DestinationStream, type Logger, pino } from 'pino'

/** The levels of `MAILYARD_LOG_LEVEL`: pino's. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** The log: structured lines, one JSON object each. */
export type Log = Logger

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'plainPassword',
  'mailerDsn',
  'dsn',
  'clientSecret',
  'client_secret',
  'access_token',
  'refresh_token',
  'secretKey',
]

/** An authorization code opens doors; the code of an error, such as ECONNREFUSED, is what an operator needs. */
const codePaths = ['code', 'body.code', 'query.code', '*.body.code', '*.query.code']

/**
 * Opens the log, on standard output unless told otherwise. Fields that carry secrets by their name are
 * blanked two levels deep as a second line of defence; the first is that nobody logs them.
 */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...paths, ...codePaths], censor: '********' },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}
