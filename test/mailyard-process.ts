import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const startTimeoutMs = 30_000

/** A Mailyard that runs as a process of its own, as a person starts it. */
export interface MailyardProcess {
  /** Where the API listens. */
  url: string
  /** Where the SMTP door listens. */
  smtpPort: number
  pid: number
  /** What was written so far, standard output and error together. */
  output(): string
  /** Asks it to stop; answers with the exit code. */
  stop(): Promise<number | null>
  /** Ends it at once, whatever it is at. */
  kill(): Promise<void>
  /** Stops its clock, so to speak, until `thaw`. */
  freeze(): void
  thaw(): void
}

/** An empty folder to run in, which is removed by `remove`. */
export function createFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-process-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Runs a command of the command line to its end. */
export async function runMailyard(
  args: readonly string[],
  folder: string,
  env: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch(args, folder, env)
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, output: output() }
}

/** Starts `mailyard serve` in a folder, on a free port, with nothing in its environment but `env`. */
export async function startMailyard(
  folder: string,
  env: Record<string, string> = {},
): Promise<MailyardProcess> {
  const { child, output } = launch(['serve'], folder, {
    MAILYARD_PORT: '0',
    MAILYARD_SMTP_PORT: '0',
    ...env,
  })
  const exit = once(child, 'exit') as Promise<[number | null]>
  const url = await Promise.race([
    findUrl(child, output),
    exit.then(([code]) => {
      throw new Error(`Mailyard ended with ${code}:\n${output()}`)
    }),
  ])
  return {
    url,
    smtpPort: Number(/listening at smtp:\/\/[^"\s]+:(\d+)/.exec(output())?.[1] ?? 0),
    pid: child.pid ?? 0,
    output,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exit
      return code
    },
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}

function launch(args: readonly string[], folder: string, env: Record<string, string>) {
  const child = spawn(process.execPath, ['--max-semi-space-size=8', program, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  }
  return { child, output: () => text }
}

function findUrl(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((found, fail) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      fail(new Error(`Mailyard did not start:\n${output()}`))
    }, startTimeoutMs)
    child.stdout?.on('data', () => {
      const url = /listening at (http:\/\/[^"\s]+)/.exec(output())?.[1]
      if (url === undefined) return
      clearTimeout(late)
      found(url)
    })
    child.once('exit', () => clearTimeout(late))
  })
}
