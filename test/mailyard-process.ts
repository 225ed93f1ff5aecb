import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { adminPassword } from './administrator.ts'
import { createQuickFolder } from './quick-folder.ts'

const root = join(import.meta.dirname, '..')
/** A start that takes longer hangs, and is ended. */
const startTimeoutMs = 60_000

/** A Mailyard in a process of its own, as an operator starts it. */
export interface MailyardProcess {
  /** Where the API listens, such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly port: number
  /** The port of the SMTP server; 0 if it is off. */
  readonly smtpPort: number
  readonly pid: number
  /** What it has written so far, standard output and error together. */
  output(): string
  kill(signal: NodeJS.Signals): void
  /** Lets it do nothing until `thaw`, like a machine that hangs. */
  freeze(): void
  thaw(): void
  /** Resolves when it has ended and its output is read: with its exit code, or null where a signal ended it. */
  readonly ended: Promise<number | null>
  /** SIGTERM, and its end. */
  stop(): Promise<number | null>
}

/** What a Mailyard is run with. Its environment has PATH, HOME and the compile cache, and nothing else that is not said here. */
export interface MailyardOptions {
  /** Where it runs. Default: an empty folder, which goes with the process. */
  folder?: string
  /** Default: Mailyard's own, which is in the folder. */
  databaseUrl?: string
  env?: Readonly<Record<string, string>>
  /** Options of Node, besides those of `npm start`. */
  nodeOptions?: readonly string[]
  /** The full path of what Node runs. Default: the sources, as the global set-up has bundled them. */
  main?: string
}

/** The `main` of a Mailyard that starts from the sources, as `npm start` does. */
export const sourceMain = join(root, 'src/main.ts')
/** The `main` of a Mailyard that finds in seconds what a killed process has left. */
export const quickMain = bundled('test/quick-main.ts')

/** The file in the bundle of the test run, where there is one. */
function bundled(file: string): string {
  const bundle = process.env['TEST_MAILYARD_BUNDLE']
  return bundle === undefined ? join(root, file) : join(bundle, file.replace(/ts$/, 'js'))
}

/** The settings of a Mailyard that only serves HTTP: `asAdmin` logs in, and the SMTP server is off. */
export const apiSettings = {
  MAILYARD_ADMIN_PASSWORD: adminPassword,
  MAILYARD_SECRET_KEY: 'a secret key for tests, of 32 characters or more',
  MAILYARD_SMTP_PORT: '',
} as const

/** Starts `mailyard serve`, on free ports; rejects with its output where it ends instead of listening. */
export async function startMailyard(options: MailyardOptions = {}): Promise<MailyardProcess> {
  // No test asks a real DNS server.
  const ports = {
    MAILYARD_PORT: '0',
    MAILYARD_SMTP_PORT: '0',
    MAILYARD_DNS_SERVERS: '127.0.0.1:1',
  }
  const launched = launch({ ...options, env: { ...ports, ...options.env } })
  const { child, ended } = launched
  let written = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      written += piece
    })
  const output = () => written
  const url = await untilListening(launched, output)
  return {
    url: url.origin,
    port: Number(url.port),
    smtpPort: Number(/listening at smtp:\/\/[^"\s]+:(\d+)/.exec(written)?.[1] ?? 0),
    pid: child.pid ?? 0,
    output,
    kill: (signal) => void child.kill(signal),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    ended,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Those that run, and how to remove what they leave. A test that fails may leave one, for which its process would wait. */
const running = new Map<ChildProcess, () => void>()
process.once('exit', () => {
  for (const [child, remove] of running) {
    child.kill('SIGKILL')
    remove()
  }
})

/** Kills those that run, and waits for their end. */
export async function killLeftMailyards(): Promise<void> {
  await Promise.all(
    [...running.keys()].map((child) => {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      return closed
    }),
  )
}

/** An empty folder to run in, which is removed by `remove`. */
export function createFolder(): { folder: string; remove: () => void } {
  const folder = createQuickFolder('mailyard-process-')
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) }
}

type Launched = ReturnType<typeof launch>

function launch(options: MailyardOptions) {
  const { databaseUrl, env, nodeOptions = [], main = bundled('src/main.ts') } = options
  const own = options.folder === undefined ? createFolder() : undefined
  const start = readStart()
  const child = spawn(process.execPath, [...start.options, ...nodeOptions, main, 'serve'], {
    cwd: options.folder ?? own?.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...compileCache(),
      ...start.env,
      ...(databaseUrl === undefined ? {} : { MAILYARD_DATABASE_URL: databaseUrl }),
      ...env,
    },
  })
  const remove = () => own?.remove()
  running.set(child, remove)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => {
      running.delete(child)
      remove()
      resolve(code)
    })
  })
  return { child, ended }
}

/** What V8 has compiled of the sources is shared with the tests. */
function compileCache(): Record<string, string> {
  const folder = process.env['NODE_COMPILE_CACHE']
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}

/** The variables and the options of Node in `npm start`; the installed command has the same. */
function readStart(): { env: Record<string, string>; options: string[] } {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const words: string[] = scripts.start.split(' ')
  const node = words.indexOf('node')
  return {
    env: Object.fromEntries(words.slice(0, node).map((word) => word.split('='))),
    options: words.slice(node + 1, words.indexOf('src/main.ts')),
  }
}

/** Where the API listens. */
async function untilListening({ child, ended }: Launched, output: () => string): Promise<URL> {
  const late = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs)
  try {
    return await new Promise((resolve, reject) => {
      const look = () => {
        const url = /listening at (http:\/\/[^"\s]+)["\s]/.exec(output())?.[1]
        if (url === undefined) return
        child.stdout.off('data', look)
        resolve(new URL(url))
      }
      child.stdout.on('data', look)
      ended.then(
        (code) => reject(new Error(`Mailyard ended with ${code} before it listened:\n${output()}`)),
        reject,
      )
    })
  } finally {
    clearTimeout(late)
  }
}
