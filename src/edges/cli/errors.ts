import { AppError, type ErrorKind, type FaultDetails } from '../../kit/app-error.ts'
import { suggest } from '../../kit/suggest.ts'
import type { CliEnvironment } from './output.ts'

/** The exit codes of commands. `upstream`: a server that is needed could not be reached or used. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, missing: 3, conflict: 4, upstream: 5 }

const byKind: Record<ErrorKind, number> = {
  invalid: exitCodes.usage,
  not_found: exitCodes.missing,
  conflict: exitCodes.conflict,
  upstream: exitCodes.upstream,
  unauthenticated: exitCodes.failed,
  forbidden: exitCodes.failed,
  too_large: exitCodes.usage,
  rate_limited: exitCodes.failed,
  internal: exitCodes.failed,
}

/** Returns the exit code of a kind of error; of an unknown kind, that of any failure. */
export function exitCodeOfKind(kind: ErrorKind | undefined): number {
  return kind === undefined ? exitCodes.failed : byKind[kind]
}

export function usageError(message: string): AppError {
  return new AppError('invalid', 'usage', message)
}

/** An option that a command does not have. */
export class UnknownOption extends Error {
  /** As it was typed, without its value, which may be a secret. */
  readonly option: string
  readonly known: readonly string[]

  constructor(word: string, known: Iterable<string>) {
    super('unknown option')
    this.option = word.replace(/=.*$/s, '')
    this.known = [...known, 'json', 'help']
  }
}

const prefix = 'MAILYARD_'

/** Says what to do instead. An option with the name of a setting is answered with its variable: `Set MAILYARD_PORT.` */
async function adviceOn({ option, known }: UnknownOption): Promise<string> {
  const { settings } = await import('../../platform/config/index.ts')
  const name = option.replace(/^-+/, '').replaceAll('-', '_').toUpperCase()
  const variables = settings.map((setting) => setting.name)
  const variable = [name, `${prefix}${name}`].find((each) => variables.includes(each))
  if (variable !== undefined) return `Set ${variable}.`
  const meant = (candidates: readonly string[], start: string) =>
    suggest(name.replace(prefix, ''), candidates)?.replaceAll(/"([^"]+)"/g, `${start}$1`)
  const shortNames = variables.map((each) => each.slice(prefix.length))
  return (
    meant(known, '--') ??
    meant(shortNames, prefix) ??
    '--help lists the options; docs/configuration.md lists the settings.'
  )
}

/** Prints the error of a command, with `--json` as the API does. Returns the exit code. */
export async function printError(
  error: unknown,
  isJson: boolean,
  { stderr, stdout }: CliEnvironment,
): Promise<number> {
  const sentence = await sentenceOf(error)
  const details = error instanceof AppError ? error.details : undefined
  if (isJson) stdout.write(`${JSON.stringify({ success: false, error: sentence, details })}\n`)
  else for (const line of errorLines(sentence, details)) stderr.write(`${line}\n`)
  if (error instanceof UnknownOption) return exitCodes.usage
  return exitCodeOfKind(error instanceof AppError ? error.kind : undefined)
}

async function sentenceOf(error: unknown): Promise<string> {
  if (error instanceof UnknownOption)
    return `Unknown option ${error.option}. ${await adviceOn(error)}`
  if (error instanceof AppError && error.kind !== 'internal') return error.message
  return `Internal error: ${(error as Error).stack ?? String(error)}`
}

/** The lines of an error: its sentence, or each of its faults. `nameOf` writes a field as it is typed. */
export function errorLines(
  sentence: string,
  details: FaultDetails = {},
  nameOf: (field: string) => string = (field) => field,
): string[] {
  const reasons = Object.values(details).flat()
  const faults = Object.entries(details).flatMap(([field, texts]) =>
    texts.map((text) => (/^[A-Z]/.test(text) ? text : `${nameOf(field)} ${text}`)),
  )
  // The sentence of an invalid request is its faults, with the names of the API.
  const isJoined = reasons.length > 0 && reasons.every((reason) => sentence.includes(reason))
  return [...(isJoined ? [] : [sentence]), ...faults].map((line) => `error: ${line}`)
}

/**
 * Handles errors of the output. When its reader has closed it, as in `mailyard users list | head -1`, the command still
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
