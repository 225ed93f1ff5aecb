import { CommanderError } from 'commander'
import { AppError } from '../kit/app-error.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import type { Surroundings } from './surroundings.ts'
import { describeUsageError } from './usage-error.ts'

/** Tells what a command failed of, with `--json` as the API does; returns the exit code. */
export function tellError(error: unknown, isJson: boolean, surroundings: Surroundings): number {
  const { stderr, stdout } = surroundings
  const isUsage = error instanceof CommanderError
  if (isUsage && error.exitCode === 0) return exitCodes.ok
  if (isJson) stdout.write(`${JSON.stringify({ success: false, error: sentenceOf(error) })}\n`)
  // What was wrong with the usage has been told by then.
  else if (!isUsage) stderr.write(`${sentenceOf(error)}\n`)
  return isUsage ? exitCodes.usage : exitCodeOf(error)
}

function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) return usageSentence(error)
  if (error instanceof AppError && error.kind !== 'internal') return error.message
  return `Unexpected: ${(error as Error).stack ?? String(error)}`
}

function usageSentence({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing; --help lists them.'
  return describeUsageError(message)
}
