import { PassThrough } from 'node:stream'
import type { DeliveryIntervals } from '../src/core/delivery/index.ts'
import { run } from '../src/edges/cli/run.ts'
import { createFolder, type MailyardOptions } from './mailyard-process.ts'

/** What a command of the command line left behind. */
export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

/** What a command is connected to. */
export interface CommandStreams {
  /** Default: no terminal, and nothing to read. */
  stdin?: NodeJS.ReadStream
  /** The width of the terminal that it writes to. Default: no terminal. */
  columns?: number
  /** Receives what the command writes, as it is written. */
  onOutput?: (text: string) => void
  /** Default: those of a service. */
  intervals?: DeliveryIntervals
}

/**
 * Runs one command, such as `['user', 'list', '--json']`, to its end. It runs in this process, with an environment
 * and streams of its own; a process for each command would mostly load the program. One command at a time: the whole
 * process is in its folder meanwhile.
 */
export async function runMailyard(
  args: readonly string[],
  options: Pick<MailyardOptions, 'folder' | 'databaseUrl' | 'env'> & CommandStreams = {},
): Promise<CommandResult> {
  const { folder, remove } =
    options.folder === undefined
      ? createFolder()
      : { folder: options.folder, remove: () => undefined }
  const { databaseUrl, env, columns, onOutput, intervals } = options
  const result = { stdout: '', stderr: '' }
  const terminal = columns === undefined ? {} : { isTTY: true, columns }
  const streamTo = (name: 'stdout' | 'stderr') => ({
    ...terminal,
    write(text: string | Uint8Array) {
      const written = Buffer.from(text as string).toString()
      result[name] += written
      onOutput?.(written)
    },
  })
  const before = process.cwd()
  process.chdir(folder)
  try {
    const code = await run(args, {
      env: { ...(databaseUrl === undefined ? {} : { MAILYARD_DATABASE_URL: databaseUrl }), ...env },
      stdin: options.stdin ?? (new PassThrough().end() as unknown as NodeJS.ReadStream),
      stdout: streamTo('stdout'),
      stderr: streamTo('stderr'),
      cwd: () => folder,
      once: () => undefined,
      ...(intervals === undefined ? {} : { intervals }),
    })
    return { code, ...result }
  } finally {
    process.chdir(before)
    remove()
  }
}
