import { createRequire } from 'node:module'
import { type DestinationStream, type Logger, pino } from 'pino'

/** The levels of `MAILYARD_LOG_LEVEL`, which are those of pino. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** The log. Each line is a short event in lower case and its fields, as one JSON object. */
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

/** Redacts authorization codes, but not the codes of errors, such as ECONNREFUSED. */
const codePaths = ['code', 'body.code', 'query.code', '*.body.code', '*.query.code']

/**
 * Creates the log. Fields with the name of a secret are redacted down to the second level, in case one is logged by
 * mistake.
 *
 * @param destination Default: standard output.
 */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...paths, ...codePaths], censor: '********' },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Returns the log without redaction, which takes longer than the rest of a line: for lines whose fields hold no secret. */
export function withoutRedaction(log: Log): Log {
  return log.child({}, { redact: [] })
}

/** Replaces each word with an email address, for logs: replies of servers repeat recipients. */
export function maskAddresses(text: string): string {
  return text.replace(/\S+/g, (word) => (word.includes('@') ? '[address]' : word))
}

const require = createRequire(import.meta.url)

/** A terminal, or another output for readable lines. */
export interface PrettyTarget {
  write(text: string): unknown
  /** Whether it supports colours. */
  hasColors: boolean
}

/** Formats the JSON lines of the log as lines for a terminal. */
export function openPrettyOutput(target: PrettyTarget): DestinationStream {
  // Loaded only for readable lines: it has 40 modules.
  const { prettyFactory } = require('pino-pretty') as typeof import('pino-pretty')
  const prettify = prettyFactory({
    colorize: target.hasColors,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  })
  return { write: (line) => void target.write(prettify(escapeControls(line)) ?? line) }
}

/**
 * Escapes control characters, such as `\u001b`: logged text may come from an untrusted server and must not control the
 * terminal. Line breaks and tabs stay, because stacks have them.
 */
function escapeControls(jsonLine: string): string {
  return jsonLine
    .replace(/\\(?:u00(?:[01][0-9a-f]|7f|[89][0-9a-f])|[\s\S])/gi, (escaped) =>
      /^\\(?:u|[rbf])/.test(escaped) ? `\\${escaped}` : escaped,
    )
    .replace(/[\u007f-\u009f]/g, (character) => {
      return `\\\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
}
