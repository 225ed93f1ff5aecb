import { connect, createServer } from 'node:net'
import { hostname } from 'node:os'
import type { Config } from '../../config/index.ts'
import { bad, type Finding, good } from './finding.ts'

const answerMs = 2_000

/** One port that a start listens on. */
interface ListenPort {
  check: string
  host: string
  port: number
  setting: string
  /** Whether the program that holds the port is a Mailyard. */
  isOurs: () => Promise<boolean>
}

/** Whether each port is free, or held by a Mailyard that runs already. */
export async function examinePorts(config: Config): Promise<Finding[]> {
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
  if (port === 0) return good(check, 'a free one is taken at the start')
  const fault = await tryListen(host, port)
  const where = `${host}, port ${port}`
  if (fault === undefined) return good(check, `${where} is free`)
  if (fault === 'EADDRINUSE' && (await isOurs()))
    return good(check, `${where} is held by a Mailyard that is running`)
  if (fault === 'EADDRINUSE')
    return bad(check, `${where} is in use`, `Stop the other process or set ${setting}.`)
  return bad(check, `${where} cannot be listened on (${fault})`, `Set ${setting} or its host.`)
}

/** The code of the error; undefined where it works. */
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
