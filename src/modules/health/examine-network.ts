import { execFile } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { connect, createServer } from 'node:net'
import { hostname } from 'node:os'
import type { Finding } from '../../core/findings/index.ts'
import { bad, doubtful, good } from '../../core/findings/index.ts'
import { listMauticUrls } from '../../core/mautic/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { Storage } from '../../platform/storage/index.ts'

const answerMs = 2_000

/** One port that a start listens on. */
interface ListenPort {
  check: string
  host: string
  port: number
  setting: string
  /** Whether a Mailyard uses the port. */
  isOurs: () => Promise<boolean>
}

/** Checks that each port is free or used by a running Mailyard. */
export async function examinePorts(
  config: Pick<Config, 'host' | 'port' | 'smtpHost' | 'smtpPort' | 'smtpsPort'>,
): Promise<Finding[]> {
  const { host, port, smtpHost, smtpPort, smtpsPort } = config
  const isApiOurs = () => answersHealth(host, port)
  const ports: ListenPort[] = [
    { check: 'API port', host, port, setting: 'MAILYARD_PORT', isOurs: isApiOurs },
  ]
  const addSmtp = (check: string, setting: string, number: number | undefined) => {
    if (number === undefined) return
    const isOurs = async () => (await isApiOurs()) || greetsAsSmtp(smtpHost, number)
    ports.push({ check, host: smtpHost, port: number, setting, isOurs })
  }
  addSmtp('SMTP port', 'MAILYARD_SMTP_PORT', smtpPort)
  addSmtp('SMTPS port', 'MAILYARD_SMTPS_PORT', smtpsPort)
  return Promise.all(ports.map(examinePort))
}

async function examinePort({ check, host, port, setting, isOurs }: ListenPort): Promise<Finding> {
  if (port === 0) return good(check, 'The start takes a free port.')
  const fault = await tryListen(host, port)
  const where = `Port ${port} of ${host}`
  if (fault === undefined) return good(check, `${where} is free.`)
  if (fault === 'EADDRINUSE' && (await isOurs()))
    return good(check, `${where} is used by a running Mailyard.`)
  if (fault === 'EADDRINUSE')
    return bad(check, {
      detail: `${where} is in use.`,
      fix: `Stop the other process or set ${setting}.`,
    })
  return bad(check, {
    detail: `${where} cannot be listened on (${fault}).`,
    fix: `Set ${setting} or its host.`,
  })
}

/** Returns the code of the error; undefined when the port is free. */
function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code = 'error' }: NodeJS.ErrnoException) => resolve(code))
    server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  })
}

async function answersHealth(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host
  try {
    const url = `http://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port}`
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerMs) })
    return answer.headers.has('x-request-id') && (await answer.text()).includes('"alive"')
  } catch {
    return false
  }
}

function greetsAsSmtp(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (isSmtp: boolean) => {
      socket.destroy()
      resolve(isSmtp)
    }
    socket.setTimeout(answerMs, () => settle(false))
    socket.once('error', () => settle(false))
    socket.once('data', (bytes) =>
      settle(bytes.toString('latin1').startsWith(`220 ${hostname()} ESMTP`)),
    )
  })
}

/** Returns the output of `ip route get` for an address; undefined when the command fails. */
export type RouteTo = (address: string) => Promise<string | undefined>

const check = 'quick acknowledgement'

/**
 * Checks whether Linux sends TCP acknowledgements without delay. PHP writes a message in pieces and waits for the
 * acknowledgement of each, so that a delay of 40 ms limits it to about 20 messages a second. Node cannot disable the
 * delay of a socket, but a route can. A delay is a warning. Without a connected Mautic, there is no finding.
 */
export async function examineQuickAck(
  storage: Storage,
  routeTo: RouteTo = askIp,
): Promise<Finding[]> {
  const addresses = await findAddresses(await listMauticUrls(storage))
  if (addresses.length === 0) return []
  const slow: string[] = []
  for (const address of addresses) {
    const route = await routeTo(address)
    if (route === undefined) return []
    if (!/\bquickack 1\b/.test(route)) slow.push(address)
  }
  if (slow.length === 0)
    return [good(check, `The route to ${addresses.join(', ')} acknowledges at once.`)]
  const detail = `The route to ${slow.join(', ')} acknowledges late: a Mautic there submits about 20 messages a second on a connection, and with quickack more than ten times as many.`
  return [doubtful(check, { detail, fix: fixFor(slow) })]
}

/** Finds the addresses of the machines of Mautics. A name without one is left out: the finding "Mautic" has it. */
async function findAddresses(urls: readonly string[]): Promise<string[]> {
  const hosts = new Set(urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, '')))
  const results = await Promise.all([...hosts].map((host) => lookup(host).catch(() => undefined)))
  return [...new Set(results.flatMap((each) => (each === undefined ? [] : [each.address])))]
}

function fixFor(slow: readonly string[]): string {
  const local =
    'ip route change local 127.0.0.1 dev lo table local proto kernel scope host src 127.0.0.1 quickack 1'
  const other = 'append "quickack 1" to the route'
  const command = slow.includes('127.0.0.1') ? local : other
  return `If Mautic runs there: ${command} (docs/mautic.md, "Speed").`
}

const timeoutMs = 2_000

function askIp(address: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return Promise.resolve(undefined)
  return new Promise((resolve) => {
    execFile('ip', ['route', 'get', address], { timeout: timeoutMs }, (error, output) => {
      resolve(error === null ? output : undefined)
    })
  })
}
