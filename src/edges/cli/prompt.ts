import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { AppError } from '../../kit/app-error.ts'
import type { CliEnvironment } from './output.ts'

/** Asks a person at a terminal. */
export interface Prompt {
  /** Asks for one line. Throws an AppError (`invalid`) after Ctrl+C or Ctrl+D. */
  ask(question: string): Promise<string>
  /** Asks for one line, which is not shown. */
  askHidden(question: string): Promise<string>
  close(): void
}

/** Opens a prompt on standard error. Returns undefined without a terminal. */
export function openPrompt({
  stdin,
  stderr,
}: Pick<CliEnvironment, 'stdin' | 'stderr'>): Prompt | undefined {
  if (!stdin.isTTY) return undefined
  let isHidden = false
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) stderr.write(chunk.toString())
      done()
    },
  })
  const terminal = createInterface({ input: stdin, output, terminal: true })
  const read = async (question: string) => {
    try {
      return await terminal.question(question)
    } catch (error) {
      throw new AppError('invalid', 'answer_not_given', 'No answer was given.', { cause: error })
    }
  }
  return {
    async ask(question) {
      return (await read(question)).trim()
    },
    async askHidden(question) {
      stderr.write(question)
      isHidden = true
      try {
        return await read('')
      } finally {
        isHidden = false
        stderr.write('\n')
      }
    },
    close: () => terminal.close(),
  }
}
