import { CommanderError } from 'commander'
import { settings } from '../config/index.ts'
import { AppError, type ErrorKind } from '../kit/app-error.ts'
import { suggest } from '../kit/suggest.ts'
import type { CliEnvironment } from './output.ts'

/** The exit codes of commands. `upstream`: a server that is needed could not be reached or used. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, upstream: 5 } as const

const byKind: Record<ErrorKind, number> = {
  invalid: exitCodes.usage,
  not_found: 3,
  conflict: 4,
  upstream: exitCodes.upstream,
  unauthenticated: exitCodes.failed,
  forbidden: exitCodes.failed,
  too_large: exitCodes.usage,
  rate_limited: exitCodes.failed,
  internal: exitCodes.failed,
}

/** Returns the exit code for an error. */
function exitCodeOf(error: unknown): number {
  return error instanceof AppError ? byKind[error.kind] : exitCodes.failed
}

const prefix = 'MAILYARD_'

/**
 * Describes a usage error, from commander's message. An option with the name of a setting is answered with its variable:
 * `Unknown option --port. Set MAILYARD_PORT.` The value of an option is never shown.
 */
export function describeUsageError(message: string): string {
  const [, option] = /unknown option '(-[^'=]*)/.exec(message) ?? []
  if (option === undefined)
    return message
      .replace(/^error: /, '')
      .replaceAll('\n', ' ')
      .trim()
  const [meant] = /\(Did you mean .*\?\)/.exec(message) ?? []
  return `Unknown option ${option}. ${adviceOn(option, meant)}`
}

function adviceOn(option: string, meant: string | undefined): string {
  const name = option.replace(/^-+/, '').replaceAll('-', '_').toUpperCase()
  const variables = settings.map((setting) => setting.name)
  const variable = [name, `${prefix}${name}`].find((each) => variables.includes(each))
  if (variable !== undefined) return `Set ${variable}.`
  if (meant !== undefined) return meant.slice(1, -1)
  const near = suggest(
    name.replace(prefix, ''),
    variables.map((each) => each.slice(prefix.length)),
  )
  const advice = near?.replaceAll('"', '').replaceAll(/\b([A-Z_]{2,})\b/g, `${prefix}$1`)
  return advice ?? '--help lists the options; docs/configuration.md lists the settings.'
}

/** Prints the error of a command, with `--json` as the API does. Returns the exit code. */
export function printError(error: unknown, isJson: boolean, environment: CliEnvironment): number {
  const { stderr, stdout } = environment
  const isUsage = error instanceof CommanderError
  if (isUsage && error.exitCode === 0) return exitCodes.ok
  if (isJson) stdout.write(`${JSON.stringify({ success: false, error: sentenceOf(error) })}\n`)
  // Commander has already printed a usage error.
  else if (!isUsage) stderr.write(`${sentenceOf(error)}\n`)
  return isUsage ? exitCodes.usage : exitCodeOf(error)
}

function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) return usageSentence(error)
  if (error instanceof AppError && error.kind !== 'internal') return error.message
  return `Internal error: ${(error as Error).stack ?? String(error)}`
}

function usageSentence({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing; --help lists them.'
  return describeUsageError(message)
}

/**
 * Handles errors of the output. When its reader has closed it, as in `mailyard user list | head -1`, the command still
 * finishes its work. Any other error makes the command fail.
 */
export function watchOutput({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  stderr.on('error', () => undefined)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || process.exitCode === exitCodes.failed) return
    process.exitCode = exitCodes.failed
    stderr.write(`The output cannot be written: ${error.message}\n`)
  })
}
