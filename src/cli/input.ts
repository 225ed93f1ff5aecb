import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { TSchema } from 'typebox'
import type { App } from '../app.ts'
import { createCheck } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import { nameKey } from '../kit/normalize-for-search.ts'
import { wholeList } from '../storage/index.ts'
import type { CliEnvironment } from './output.ts'
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
      `Role ${text} was not found. \`mailyard role list\` lists the roles.`,
    )
  if (named.length === 1) return id
  const count = named.length === 2 ? 'Two' : String(named.length)
  const message = `${count} roles are named "${text.trim()}" (ids ${named.join(', ')}). Use the id of one of them.`
  throw new AppError('conflict', 'role_name_ambiguous', message)
}

/**
 * Reads a new password from a file, or from a prompt that does not show it. Never from the arguments, which every user of
 * the machine can read.
 */
export async function readPassword(
  { stdin, stderr }: CliEnvironment,
  file: string | undefined,
): Promise<string> {
  if (file !== undefined) return readPasswordFile(file)
  if (!stdin.isTTY) {
    const message = 'The password cannot be asked for without a terminal. Use --password-file.'
    throw new AppError('invalid', 'no_terminal', message)
  }
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: stdin, output, terminal: true })
  const ask = async (question: string) => {
    stderr.write(question)
    try {
      return await terminal.question('')
    } catch (error) {
      // Ctrl+C or Ctrl+D.
      throw new AppError('invalid', 'password_not_given', 'No password was given.', {
        cause: error,
      })
    } finally {
      stderr.write('\n')
    }
  }
  try {
    const password = await ask('Password: ')
    if (password === (await ask('Again: '))) return password
  } finally {
    terminal.close()
  }
  throw new AppError('invalid', 'passwords_differ', 'The two passwords are not the same.')
}

function readPasswordFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const message = `The password file cannot be read: ${(error as Error).message}`
    throw new AppError('invalid', 'password_file_unreadable', message, { cause: error })
  }
}
