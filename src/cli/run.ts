import type { Command } from 'commander'
import { describeUsageError, exitCodes, printError } from './errors.ts'
import { type CliEnvironment, Output } from './output.ts'
import { createProgram } from './program.ts'

/** Runs a command line. Returns the exit code. */
export async function run(args: readonly string[], environment: CliEnvironment): Promise<number> {
  let code: number = exitCodes.ok
  const isJson = args.includes('--json')
  const output = new Output(environment.stdout, isJson)
  const program = createProgram(
    {
      writeOut: (text) => environment.stdout.write(text),
      outputError: (text, write) => write(`${describeUsageError(text)}\n`),
      // With `--json`, printError prints it.
      writeErr: (text) => (isJson ? undefined : environment.stderr.write(text)),
    },
    (load) =>
      async (...received: unknown[]) => {
        const command = received.at(-1) as Command
        const action = await load()
        code = await action({ environment, output }, command.opts(), ...command.args)
      },
  )
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return printError(error, isJson, environment)
  }
}
