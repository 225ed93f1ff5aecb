import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { AppError } from '../kit/app-error.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * A new password, from a file or from a prompt that does not show it; never from the arguments, which
 * every user of the machine can read.
 */
export async function readPassword(
  { stdin, stderr }: Surroundings,
  file: string | undefined,
): Promise<string> {
  if (file !== undefined) return readPasswordFile(file)
  if (!stdin.isTTY) {
    const message = 'There is no terminal to ask for the password at; give --password-file.'
    throw new AppError('invalid', 'no_terminal', message)
  }
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: stdin, output, terminal: true })
  const ask = async (question: string) => {
    stderr.write(question)
    try {
      return await terminal.question('')
    } catch (error) {
      // Ctrl+C, or Ctrl+D for the end of the input.
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
