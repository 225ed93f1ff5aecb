import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { TSchema } from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import { usageError } from './errors.ts'
import type { CliEnvironment } from './output.ts'
import { openPrompt } from './prompt.ts'

/** Validates the input of a command as the API validates a body. Throws the same AppError (`invalid`). */
export async function checkInput(schema: TSchema, input: unknown): Promise<void> {
  const { createCheck } = await import('../../platform/http/index.ts')
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

/** Reads a password or a secret from a file, without the line break at its end. */
export function readSecretFile(file: string): string {
  return String(readFile(file)).replace(/\r?\n$/, '')
}

/**
 * Reads the value of an option: `@file` is the content of a file, `-` standard input, `@@text` a text that begins with `@`. Secrets
 * stay out of the arguments so.
 */
export async function readSource(
  { stdin }: Pick<CliEnvironment, 'stdin'>,
  text: string,
  flag?: string,
): Promise<Buffer> {
  if (text === '-') return buffer(stdin)
  if (!text.startsWith('@') || text.startsWith('@@')) return Buffer.from(text.replace(/^@/, ''))
  const advice = flag === undefined ? '' : ` For a text that begins with @, write ${flag} @@…`
  return readFile(text.slice(1), advice)
}

/** Like `readSource`, as text. A single line is read without its line break. */
export async function readText(
  environment: Pick<CliEnvironment, 'stdin'>,
  text: string,
  flag: string,
): Promise<string> {
  const source = (await readSource(environment, text, flag)).toString('utf8')
  return source.replace(/^([^\n]*)\r?\n$/, '$1')
}

function readFile(file: string, advice = ''): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw usageError(`The file ${file} cannot be read: ${(error as Error).message}.${advice}`)
  }
}
