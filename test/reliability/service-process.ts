import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const root = join(import.meta.dirname, '../..')
/** As `npm start` and the installed command have it. */
const startOptions = ['--max-semi-space-size=8']

/** The password of `admin` in every service that is started here. */
export const adminPassword = 'correct horse battery'

/** The `Authorization` header of the administrator. */
export const asAdmin = basicHeader('admin', adminPassword)

/** A Mailyard in a process of its own, as an operator starts it. */
export interface ServiceProcess {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** What it logged, line by line. */
  readonly logged: readonly string[]
  /** From the start of the process until it listened. */
  readonly startedInMs: number
  /** User and system time that it has used so far. */
  cpuSeconds(): number
  memoryBytes(): Memory
  kill(signal: NodeJS.Signals): void
  /** Resolves when the process has ended: with its exit code, or null where a signal ended it. */
  readonly ended: Promise<number | null>
  /** SIGTERM, and its end. */
  stop(): Promise<number | null>
}

/** Resident memory: now, and at its highest. */
export interface Memory {
  now: number
  peak: number
}

/** What a service is started with. */
export interface ServiceOptions {
  databaseUrl: string
  /** Further `MAILYARD_…` settings. */
  env?: Record<string, string>
  /** Options of Node itself. */
  nodeOptions?: string[]
  /** What Node runs; the sources, unless the build is asked for. */
  main?: string
  /** Runs this with the command line of the service as its last arguments. */
  wrapper?: string[]
}

/** Starts `mailyard serve` on a free port; rejects with its output where it ends instead of listening. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const startedAt = performance.now()
  const child = spawnMailyard(['serve'], options)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const logged: string[] = []
  const port = await untilListening(child, logged)
  const pid = child.pid ?? 0
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid,
    logged,
    startedInMs: performance.now() - startedAt,
    cpuSeconds: () => readCpuSeconds(pid),
    memoryBytes: () => readMemory(pid),
    kill: (signal) => void child.kill(signal),
    ended,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** What a command of the command line left behind. */
export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs one command, such as `['user', 'list', '--json']`, to its end. */
export async function runCommand(
  args: readonly string[],
  options: ServiceOptions,
): Promise<CommandResult> {
  const child = spawnMailyard(args, options)
  const stdout = readAll(child.stdout)
  const stderr = readAll(child.stderr)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: await stdout, stderr: await stderr }
}

/** The `Authorization` header of a user. */
export function basicHeader(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function spawnMailyard(args: readonly string[], options: ServiceOptions): ChildProcess {
  const { databaseUrl, env = {}, nodeOptions = [], wrapper = [] } = options
  const main = options.main ?? join(root, 'src/main.ts')
  const [command = process.execPath, ...rest] = [
    ...wrapper,
    process.execPath,
    ...startOptions,
    ...nodeOptions,
    main,
    ...args,
  ]
  const child = spawn(command, rest, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      MAILYARD_DATABASE_URL: databaseUrl,
      MAILYARD_PORT: '0',
      MAILYARD_SMTP_PORT: '',
      MAILYARD_ADMIN_PASSWORD: adminPassword,
      ...env,
    },
  })
  // What is started here does not outlive whoever started it, whatever goes wrong there.
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}

async function untilListening(child: ChildProcess, logged: string[]): Promise<number> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('The output is not piped.')
  return new Promise((resolve, reject) => {
    stderr.on('data', (chunk: Buffer) => logged.push(chunk.toString()))
    createInterface(stdout).on('line', (line) => {
      logged.push(line)
      const port = /listening at http:\/\/[^"]*:(\d+)/.exec(line)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once('error', reject)
    child.once('exit', (code) =>
      reject(new Error(`It ended with ${code} before it listened:\n${logged.join('\n')}`)),
    )
  })
}

async function readAll(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = ''
  for await (const chunk of stream ?? []) text += String(chunk)
  return text
}

/** Linux counts a process's time in hundredths of a second. */
function readCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  return { now: read('VmRSS'), peak: read('VmHWM') }
}
