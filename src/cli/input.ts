import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { TSchema } from 'typebox'
import { createCheck } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { CliEnvironment } from './output.ts'
import { openPrompt } from './prompt.ts'

/** Validates the input of a command as the API validates a body. Throws the same AppError (`invalid`). */
export function checkInput(schema: TSchema, input: unknown): void {
  const error = createCheck(schema)(input)
  if (error !== undefined) throw error
}

/**
 * Reads a new password from a file, or from a prompt that does not show it. Never from the arguments, which every user of
 * the machine can read.
 */
export async function readPassword(
  environment: CliEnvironment,
  file: string | undefined,
): Promise<string> {
  if (file !== undefined) return readSecretFile(file)
  const prompt = openPrompt(environment)
  if (prompt === undefined) {
    const message = 'The password cannot be asked for without a terminal. Use --password-file.'
    throw new AppError('invalid', 'no_terminal', message)
  }
  try {
    const password = await prompt.askHidden('Password: ')
    if (password === (await prompt.askHidden('Again: '))) return password
  } catch (error) {
    throw new AppError('invalid', 'password_not_given', 'No password was given.', { cause: error })
  } finally {
    prompt.close()
  }
  throw new AppError('invalid', 'passwords_differ', 'The two passwords are not the same.')
}

/**
 * Reads a secret without a file: from a prompt that does not show it, or without a terminal from standard input to its end.
 * `option` names a file in its place.
 */
export async function readSecretInput(
  environment: CliEnvironment,
  question: string,
  option: string,
): Promise<string> {
  const prompt = openPrompt(environment)
  if (prompt !== undefined) {
    try {
      return await prompt.askHidden(question)
    } finally {
      prompt.close()
    }
  }
  const secret = withoutLineBreak(await text(environment.stdin))
  if (secret !== '') return secret
  const message = `The secret was not given. Write it to standard input, or use ${option}.`
  throw new AppError('invalid', 'secret_not_given', message)
}

/** Reads the value of an option that is a number of seconds. Throws an AppError (`invalid`). */
export function readSeconds(value: string, option: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value)
  throw usageError(`${option} "${value}" must be a whole number of seconds.`)
}

/** Reads the value of an option that is a number of 1 or more; undefined where it is not given. Throws an AppError (`invalid`). */
export function readNumber(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseNumber(option, text)
}

function parseNumber(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text)
  throw usageError(`${option} "${text}" must be a whole number of 1 or more.`)
}

/** Reads the id that a command was given. Throws an AppError (`invalid`). */
export function readId(text: string): number {
  return parseNumber('The id', text)
}

const limitDefault = 30

/** Reads the option that limits a list. Throws an AppError (`invalid`). */
export function readLimit(text: string | undefined): number {
  return readNumber('--limit', text) ?? limitDefault
}

/** Reads the value of an option that is one of a few words. Throws an AppError (`invalid`). */
export function readWord<Word extends string>(
  option: string,
  text: string,
  words: readonly Word[],
): Word {
  const word = words.find((each) => each === text)
  if (word !== undefined) return word
  throw usageError(`${option} "${text}" must be one of ${words.join(', ')}.`)
}

export function usageError(message: string): AppError {
  return new AppError('invalid', 'option_invalid', message)
}

const withoutLineBreak = (secret: string) => secret.replace(/\r?\n$/, '')

/** Reads a password or a secret from a file, without the line break at its end. */
export function readSecretFile(file: string): string {
  try {
    return withoutLineBreak(readFileSync(file, 'utf8'))
  } catch (error) {
    const message = `The file ${file} cannot be read: ${(error as Error).message}`
    throw new AppError('invalid', 'secret_file_unreadable', message, { cause: error })
  }
}
