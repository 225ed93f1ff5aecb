import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { freePort } from '../../test/free-port.ts'

/** Postfix's sink on a free port of the loopback interface. */
export interface SmtpSink {
  readonly port: number
  /** Open connections to it, as the kernel counts them. */
  connections(): number
  stop(): Promise<void>
}

// smtp-sink is Postfix's, ss is iproute2's.
const sinkCommand = 'smtp-sink'
const socketsCommand = 'ss'

/** Starts `smtp-sink` (Debian: postfix), which accepts every message and drops it. */
export async function startSmtpSink(): Promise<SmtpSink | undefined> {
  if (!hasCommand(sinkCommand)) return undefined
  const port = await freePort()
  // As root it needs the name of the user to run as.
  const user = process.getuid?.() === 0 ? ['-u', 'postfix'] : []
  const child = spawn(sinkCommand, [...user, `127.0.0.1:${port}`, '1000'], { stdio: 'ignore' })
  await untilListening(port)
  return {
    port,
    connections: () => countConnections(port),
    stop: () => stop(child),
  }
}

/** Whether a command is on the path. */
export function hasCommand(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('smtp-sink did not begin to listen.')
}

function countConnections(port: number): number {
  const { stdout } = spawnSync(
    socketsCommand,
    ['-Htn', 'state', 'established', `dport = :${port}`],
    {
      encoding: 'utf8',
    },
  )
  return (stdout ?? '').split('\n').filter((line) => line !== '').length
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill()
  await once(child, 'exit')
}
