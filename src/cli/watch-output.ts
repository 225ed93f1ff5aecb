import { exitCodes } from './exit-codes.ts'

/**
 * A reader that has seen enough, as in `mailyard user list | head -1`, stops no command midway: what
 * it has begun it ends. Output that is lost for another reason fails it.
 */
export function watchOutput({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  stderr.on('error', () => undefined)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || process.exitCode === exitCodes.failed) return
    process.exitCode = exitCodes.failed
    stderr.write(`The output cannot be written: ${error.message}\n`)
  })
}
