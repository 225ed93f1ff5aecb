import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'
import { hasCommand } from '../mailer/smtp-sink.ts'

/** The names of its processes. */
export const postfixPrograms = [
  'master',
  'smtpd',
  'cleanup',
  'qmgr',
  'smtp',
  'trivial-rewrite',
  'postlogd',
]

/** A Postfix with its own queue that relays everything to one host. */
export interface Postfix {
  readonly port: number
  /** Resolves once everything in the queue has been delivered. */
  drain(): Promise<void>
  stop(): Promise<void>
}

/** Starts Postfix on a free port; undefined if it is not installed or this user may not start it. */
export async function startPostfix(relayPort: number): Promise<Postfix | undefined> {
  if (!hasCommand('postfix') || process.getuid?.() !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-postfix-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  writeConfig(folder, { port, relayPort })
  spawnSync('postfix', ['-c', join(folder, 'etc'), 'check'], { stdio: 'ignore' })
  const master = spawn('postfix', ['-c', join(folder, 'etc'), 'start-fg'], { stdio: 'ignore' })
  await untilListening(port)
  return {
    port,
    drain: () => drain(join(folder, 'spool')),
    async stop() {
      spawnSync('postfix', ['-c', join(folder, 'etc'), 'stop'], { stdio: 'ignore' })
      if (master.exitCode === null) await once(master, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The configuration of Debian's package without content checks: a plain relay. */
function writeConfig(folder: string, { port, relayPort }: { port: number; relayPort: number }) {
  for (const name of ['etc', 'spool', 'data']) mkdirSync(join(folder, name))
  spawnSync('chown', ['postfix', join(folder, 'data')])
  const main = {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'spool'),
    data_directory: join(folder, 'data'),
    maillog_file: join(folder, 'mail.log'),
    maillog_file_prefixes: folder,
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    mydestination: '',
    relayhost: `[127.0.0.1]:${relayPort}`,
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    smtp_tls_security_level: 'none',
    smtpd_tls_security_level: 'none',
    smtputf8_enable: 'no',
    alias_maps: '',
    alias_database: '',
  }
  const lines = Object.entries(main).map(([name, value]) => `${name} = ${value}\n`)
  writeFileSync(join(folder, 'etc', 'main.cf'), lines.join(''))
  writeFileSync(join(folder, 'etc', 'master.cf'), services(port))
}

const services = (port: number) => `
127.0.0.1:${port} inet n - n - 200 smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - 100 smtp
relay unix - - n - 100 smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'data').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await setTimeout(50)
  }
  throw new Error('Postfix did not begin to listen.')
}

async function drain(spool: string): Promise<void> {
  const isEmpty = () =>
    ['maildrop', 'incoming', 'active', 'deferred'].every(
      (queue) =>
        readdirSync(join(spool, queue), { recursive: true, withFileTypes: true }).filter((entry) =>
          entry.isFile(),
        ).length === 0,
    )
  while (!isEmpty()) await setTimeout(10)
}
