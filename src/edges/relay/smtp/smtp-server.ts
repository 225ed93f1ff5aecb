import { type AddressInfo, createServer, type Server } from 'node:net'
import { AppError } from '../../../kit/app-error.ts'
import { type ConnectionsOptions, OpenConnections } from './open-connections.ts'

export interface SmtpServerOptions extends ConnectionsOptions {
  readonly host: string
  /** The port for STARTTLS and plain connections; undefined: none. */
  readonly port: number | undefined
  /** The port with TLS from the first byte; undefined: none. */
  readonly securePort: number | undefined
}

/** An SMTP server for message submission (RFC 6409). */
export interface SmtpServer {
  /** The ports that it listens on; undefined if not open. */
  readonly port: number | undefined
  readonly securePort: number | undefined
  readonly connections: number
  /** Accepts no more connections, answers messages in progress, and closes; cuts connections after `timeoutMs`. */
  close(timeoutMs: number): Promise<void>
}

/** Opens an SMTP server. Throws an AppError if a port cannot be opened. */
export async function openSmtpServer(options: SmtpServerOptions): Promise<SmtpServer> {
  const { host, port, securePort } = options
  const connections = new OpenConnections(options)
  const servers: Server[] = []
  const open = async (at: number | undefined, isSecure: boolean, setting: string) => {
    if (at === undefined) return undefined
    const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) =>
      connections.accept(socket, isSecure),
    )
    await listen(server, { host, port: at, setting })
    servers.push(server)
    return (server.address() as AddressInfo).port
  }
  const opened = await open(port, false, 'MAILYARD_SMTP_PORT')
  const openedSecure = await open(securePort, true, 'MAILYARD_SMTPS_PORT').catch(
    (error: unknown) => {
      for (const server of servers) server.close()
      throw error
    },
  )
  return {
    port: opened,
    securePort: openedSecure,
    get connections() {
      return connections.size
    },
    async close(timeoutMs) {
      for (const server of servers) server.close()
      await connections.close(timeoutMs)
    },
  }
}

/** Starts to listen. Throws an AppError that names the setting to change. */
function listen(
  server: Server,
  { host, port, setting }: { host: string; port: number; setting: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new AppError('conflict', 'smtp_port', explain(error, { host, port, setting })))
    })
    server.listen({ host, port, backlog }, resolve)
  })
}

const backlog = 1_024

function explain(
  { code, message }: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: string },
): string {
  const where = `The SMTP server cannot listen on ${host}, port ${port}`
  switch (code) {
    case 'EADDRINUSE':
      return `${where}: the port is in use. Set ${setting} to another port, or leave it empty to open none.`
    case 'EACCES':
      return `${where}: permission denied. Set ${setting} to a port of 1024 or above.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where}: this machine does not have the address. Set MAILYARD_SMTP_HOST to an address of this machine.`
    default:
      return `${where}: ${message}. See MAILYARD_SMTP_HOST and ${setting}.`
  }
}
