import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { TSchema } from 'typebox'
import type { App } from '../app.ts'
import { createCheck } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import { nameKey } from '../kit/normalize-for-search.ts'
import { wholeList } from '../storage/index.ts'
import { commandName } from './command-name.ts'
import type { CliEnvironment } from './output.ts'
import { openPrompt } from './prompt.ts'
import { operator } from './session.ts'

/** Validates the input of a command as the API validates a body. Throws the same AppError (`invalid`). */
export function checkInput(schema: TSchema, input: unknown): void {
  const error = createCheck(schema)(input)
  if (error !== undefined) throw error
}

/**
 * Finds a role by its id or name; letter case and outer blanks of a name are ignored. Throws an AppError (`not_found`, or
 * `conflict` for a name that several roles have).
 */
export async function findRole(app: App, text: string): Promise<number> {
  const key = nameKey(text)
  const named: number[] = []
  for await (const roles of app.auth.roles.list(wholeList, operator).pages()) {
    for (const { id, name } of roles) {
      if (String(id) === key) return id
      if (nameKey(name) === key) named.push(id)
    }
  }
  const [id] = named
  if (id === undefined)
    throw new AppError(
      'not_found',
      'role_not_found',
      `Role ${text} was not found. \`${commandName} role list\` lists the roles.`,
    )
  if (named.length === 1) return id
  const count = named.length === 2 ? 'Two' : String(named.length)
  const message = `${count} roles are named "${text.trim()}" (ids ${named.join(', ')}). Use the id of one of them.`
  throw new AppError('conflict', 'role_name_ambiguous', message)
}

/** Finds a transport by its id or name. Throws an AppError (`not_found`, or `conflict` for a name of several transports). */
export async function findTransport(app: App, text: string): Promise<number> {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const filter = { op: 'name', text } as const
  const ids: number[] = []
  for await (const page of app.transports.list({ ...wholeList, filter }, operator).pages())
    ids.push(...page.map(({ id }) => id))
  const [id] = ids
  if (id !== undefined && ids.length === 1) return id
  if (id === undefined)
    throw new AppError('not_found', 'transport_not_found', `Transport "${text}" was not found.`)
  const message = `Several transports are named "${text}": ${ids.join(', ')}. Use the id.`
  throw new AppError('conflict', 'transport_name_ambiguous', message)
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
  const message = `${option} "${value}" must be a whole number of seconds.`
  throw new AppError('invalid', 'option_invalid', message)
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
